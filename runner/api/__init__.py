"""What commands, proofs, nights and `import stressweb` take of the rooms below: to start a run, read it, hand it on."""
