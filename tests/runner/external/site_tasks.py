"""A task of each site."""

TASKS = [
    "calendar/week-view", "files/upload-the-invoices", "food/favourite-the-best", "mail/find-by-sender-and-day",
    "network/oldest-unread", "notes/write-a-document", "reservation/best-of-a-cuisine", "ride/quote-without-booking",
    "shop/first-hit", "tasks/longest-overdue",
]  # fmt: skip
