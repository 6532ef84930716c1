"""Settings of the notification agents, each with the templates of its messages."""

from __future__ import annotations

from ..answers import Json, Row
from ..plants import Plants

EMAIL, DISCORD, PUSHBULLET, PUSHOVER, TELEGRAM, SLACK, MATTERMOST, MOBILE, GOTIFY = range(9)
WHATSAPP, NTFY = 10, 11
NEWSLETTER = 11
"""NotificationAgent and, for the one template that a newsletter has, NotificationType."""

_KINDS = 17


def documents(plants: Plants) -> dict[str, Row]:
    """One document per agent, by its path below Settings."""
    told = {
        **_mail(plants),
        **_chats(plants),
        **_pushes(plants),
        "webhook": {
            "enabled": False,
            "webhookUrl": plants.value("webhookUrl", "webhook"),
            "applicationToken": plants.value("applicationToken", "webhook"),
        },
    }
    return {f"notifications/{name}": document for name, document in told.items()}


def _templates(agent: int) -> list[Json]:
    return [_template(agent, kind) for kind in range(_KINDS)]


def _template(agent: int, kind: int) -> Row:
    return {
        "id": agent * _KINDS + kind + 1,
        "notificationType": kind,
        "agent": agent,
        "subject": "{ApplicationName}: {Title}",
        "message": "Hello {Alias}, there is news of {Title}.",
        "enabled": kind != 4,
    }


def _mail(plants: Plants) -> dict[str, Row]:
    return {
        "email": {
            "enabled": True,
            "host": plants.address("host", "email", "mail.demo.invalid"),
            "password": plants.value("password", "email"),
            "port": 587,
            "senderName": "Harbour Films",
            "senderAddress": plants.address("senderAddress", "email", "films@demo.invalid"),
            "username": plants.value("username", "email"),
            "authentication": True,
            "disableTLS": False,
            "disableCertificateChecking": False,
            "notificationTemplates": _templates(EMAIL),
        },
        "newsletter": {
            "disableTv": False,
            "disableMovies": False,
            "disableMusic": True,
            "enabled": False,
            "externalEmails": [plants.address("externalEmails", "newsletter", "out@demo.invalid")],
            "notificationTemplate": _template(EMAIL, NEWSLETTER),
        },
    }


def _chats(plants: Plants) -> dict[str, Row]:
    return {
        "discord": {
            "enabled": True,
            "webhookUrl": plants.value("webhookUrl", "discord"),
            "username": "Harbour",
            "icon": plants.address("icon", "discord", "https://films.demo.invalid/d.png"),
            "hideUser": False,
            "notificationTemplates": _templates(DISCORD),
        },
        "telegram": {
            "enabled": False,
            "botApi": plants.value("botApi", "telegram"),
            "chatId": plants.value("chatId", "telegram"),
            "parseMode": "HTML",
            "notificationTemplates": _templates(TELEGRAM),
        },
        "slack": {
            "enabled": False,
            "webhookUrl": plants.value("webhookUrl", "slack"),
            "channel": "#films",
            "username": "Harbour",
            "iconEmoji": ":ship:",
            "iconUrl": plants.address("iconUrl", "slack", "https://films.demo.invalid/s.png"),
            "notificationTemplates": _templates(SLACK),
        },
        "mattermost": {
            "webhookUrl": plants.value("webhookUrl", "mattermost"),
            "channel": "films",
            "username": "Harbour",
            "iconUrl": plants.address("iconUrl", "mattermost", "https://films.demo.invalid/m.png"),
            "enabled": False,
            "notificationTemplates": _templates(MATTERMOST),
        },
        "twilio": {
            "whatsAppSettings": {
                "enabled": False,
                "from": plants.address("from", "twilio", "+00 555 0100"),
                "accountSid": plants.value("accountSid", "twilio"),
                "authToken": plants.value("authToken", "twilio"),
                "notificationTemplates": _templates(WHATSAPP),
            },
        },
    }


def _pushes(plants: Plants) -> dict[str, Row]:
    return {
        "pushbullet": {
            "enabled": False,
            "accessToken": plants.value("accessToken", "pushbullet"),
            "channelTag": "harbour",
            "notificationTemplates": _templates(PUSHBULLET),
        },
        "pushover": {
            "enabled": True,
            "accessToken": plants.value("accessToken", "pushover"),
            "userToken": plants.value("userToken", "pushover"),
            "priority": 0,
            "sound": "bugle",
            "notificationTemplates": _templates(PUSHOVER),
        },
        "mobile": {"notificationTemplates": _templates(MOBILE)},
        "gotify": {
            "enabled": False,
            "baseUrl": plants.address("baseUrl", "gotify", "https://gotify.demo.invalid"),
            "applicationToken": plants.value("applicationToken", "gotify"),
            "priority": 4,
            "notificationTemplates": _templates(GOTIFY),
        },
        "ntfy": {
            "enabled": False,
            "baseUrl": plants.address("baseUrl", "ntfy", "https://ntfy.demo.invalid"),
            "topic": plants.value("topic", "ntfy"),
            "authorizationHeader": plants.value("authorizationHeader", "ntfy"),
            "priority": 3,
            "notificationTemplates": _templates(NTFY),
        },
    }
