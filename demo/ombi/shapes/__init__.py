"""Rows of the database and the view models that upstream computes from them."""
