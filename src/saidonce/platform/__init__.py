"""People and messages about the system: access, sign-in, notifications.

In: names, keys, roles, entries of the log. Out: who may do what; notices to the channels of an organisation.
May touch: `foundation`; `sign_in` speaks to an identity provider.
Start reading: `access.py`, then `notifications/outbox.py`.
"""
