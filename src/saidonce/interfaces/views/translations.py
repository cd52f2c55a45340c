"""Texts that may be translations of each other."""

from __future__ import annotations

from saidonce.interfaces.views.base import View


class TranslatedText(View):
    """One of two texts that may be translations."""

    id: str
    language: str
    text: str


class TranslationView(View):
    """Two texts in different languages, each the nearest of its language to the other; nothing was merged."""

    a: TranslatedText
    b: TranslatedText
    similarity: float
    """cosine in the space of the multilingual model"""
    shared_figures: float
    """share of the figures stated by either that both state; 1 where neither states any"""
    score: float
    """the similarity, lowered by figures that only one states"""
