"""The API by groups: each file has the shapes of its requests and answers, and its endpoints."""
