"""Rows of cells: the sheets of workbooks, and the tables of SQLite databases."""
