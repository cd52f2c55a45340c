"""The encoder behind the port `DangerEncoder`: what kind of danger a message tells, if any."""
