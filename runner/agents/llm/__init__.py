"""Requests to language models: prompts, endpoints, answers."""
