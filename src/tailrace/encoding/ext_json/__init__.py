"""Apicurio's ExtJsonConverter: JSON with the id of its schema, which is in Apicurio Registry as Connect writes it."""
