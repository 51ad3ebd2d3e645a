/*
 * svg.h - what the pictures of the tools have in common: head, title, styles, texts, ticks.
 */
#ifndef IRR_SVG_H
#define IRR_SVG_H

#include <stdint.h>
#include <stdio.h>

/* Pixels of the margin, of the title with the two lines below it; colours s0, s1, ... of the styles. */
enum { IRR_SVG_MARGIN = 16, IRR_SVG_TITLE = 86, IRR_SVG_COLOURS = 8 };

/* The head of a picture: three lines of plain text, for which the picture becomes wider if they need it. */
typedef struct irr_svg_head {
    int         width, height;
    const char *styles;                    /* more CSS */
    const char *title, *input, *caption;
} irr_svg_head_t;

/* Bytes of a line of the head with its end; adds to a line as far as there is room. */
enum { IRR_SVG_LINE = 1024 };

void irr_svg_add(char line[IRR_SVG_LINE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins the picture; the caller ends it with </svg>, and looks for write errors. */
void irr_svg_open(FILE *out, const irr_svg_head_t *head);

/* Writes a text element of these classes, with its lower end at y; the text is XML. */
void irr_svg_label(FILE *out, const char *class, double x, double y, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Writes text of any origin, as XML has it. */
void irr_svg_text(FILE *out, const char *text);

/* Bytes as people read them: exact up to 99999 B, then three digits and kB, MB and so on. */
void irr_svg_bytes(uint64_t bytes, char *text, size_t size);

/* 1, 2 or 5 times a power of ten, so that a linear axis has at most so many. */
uint64_t irr_svg_tick(uint64_t span, int most);

#endif
