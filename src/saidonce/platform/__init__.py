"""People and notices: access, sign-in, notifications.

In: names, keys, roles, entries of the log. Out: principals with their scopes; notices to the channels of an
organisation.
May touch: `foundation`; `sign_in` speaks to an identity provider.
Start reading: `access.py`, then `notifications/outbox.py`.
"""
