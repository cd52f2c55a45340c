"""Repairs of homes: conversations with residents, tenancies, channels and media.

In: messages of residents, events of channels, actions of the landlord's team. Out: replies, issues, notices.
May touch: `matching`, `foundation`; channels speak HTTP, media run a sandbox; the rest knows ports alone.
Start reading: `conversation/turn.py`, then `conversation/emergency.py`, then `channels/cloud.py`.
"""
