"""What a `site.yaml` may say: the models that it is validated by."""
