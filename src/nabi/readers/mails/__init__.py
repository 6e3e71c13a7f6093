"""Mails: the text of one, and mailboxes of many."""
