"""What a person at a terminal meets, behind the commands of `engine.cli`."""
