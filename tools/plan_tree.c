/*
 * plan_tree.c - draw --topology: the switches and hosts that the ranks use, and the bytes on each direction of
 * each link, as an SVG picture.
 *
 * The switch at the top is at the left, and each vertex is as high as all below it: a link is then two arrows in
 * the gap between its ends, and none crosses another.  An arrow is as wide as its load, its bytes divided
 * by the speed of the link; those of the largest load are red.  Pointing at an arrow shows its bytes.
 *
 * Vertices are visited without recursion, by first child and next sibling: O(vertices).
 */
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. */
enum {
    ROW_HEIGHT = 44, BOX_GAP = 4, BOX_MIN = 100, LETTER_WIDTH = 8, DIGIT_WIDTH = 7, LINK_WIDTH = 170,
    ARROW_MARGIN = 5, ARROW_OFFSET = 10, ARROW_MIN = 2, ARROW_MAX = 13, HEAD_LENGTH = 9, HEAD_MORE = 6,
    LEGEND_HEIGHT = 22, SAMPLE_WIDTH = 60
};

#define LETTERS_MAX 24  /* of a name; pointing at it shows more */

typedef struct place {
    int first_child, next;   /* -1: none */
    int column;
    int top, rows;           /* in rows of the picture */
} place_t;

typedef struct tree {
    const irr_tool_job_t *job;
    const irr_topology_t *topology;
    FILE                 *stream;
    irr_links_t           links;
    int                   busiest, used, unused;   /* directions of links */
    place_t              *places;    /* by vertex */
    int                   columns, rows;
    int                   box_width;
    int                   left, top;  /* of the tree */
} tree_t;

/* ---- places ---- */

/* Children in the order of the file; returns the vertex at the top. */
static int link_children(tree_t *tree)
{
    const irr_topology_t *topology = tree->topology;
    int top = -1;

    for (int v = 0; v < topology->vertices; v++) {
        tree->places[v] = (place_t){ .first_child = -1, .next = -1 };
    }
    for (int v = topology->vertices - 1; v >= 0; v--) {
        const int parent = topology->parent[v];

        if (parent < 0) {
            top = v;
        } else {
            tree->places[v].next = tree->places[parent].first_child;
            tree->places[parent].first_child = v;
        }
    }
    return top;
}

/* Gives a row to each host, and to a switch the rows of all below it. */
static void place_all(tree_t *tree)
{
    place_t *places = tree->places;
    int v = link_children(tree);

    while (v >= 0) {
        place_t *place = &places[v];

        place->top = tree->rows;
        tree->columns = place->column >= tree->columns ? place->column + 1 : tree->columns;
        if (place->first_child >= 0) {
            places[place->first_child].column = place->column + 1;
            v = place->first_child;
            continue;
        }
        tree->rows++;
        for (; v >= 0 && places[v].next < 0; v = tree->topology->parent[v]) {
            places[v].rows = tree->rows - places[v].top;
        }
        if (v >= 0) {
            places[v].rows = tree->rows - places[v].top;
            places[places[v].next].column = places[v].column;
            v = places[v].next;
        }
    }
}

static void lay_out(tree_t *tree)
{
    size_t letters = 0;

    place_all(tree);
    for (int v = 0; v < tree->topology->vertices; v++) {
        const size_t length = strnlen(tree->topology->names[v], LETTERS_MAX);

        letters = length > letters ? length : letters;
    }
    tree->box_width = (int)letters * LETTER_WIDTH + 12;
    tree->box_width = tree->box_width > BOX_MIN ? tree->box_width : BOX_MIN;
    tree->left = IRR_SVG_MARGIN;
    tree->top = IRR_SVG_TITLE + IRR_SVG_MARGIN + LEGEND_HEIGHT *
                ((tree->busiest > 0) + (tree->used > 0) + (tree->unused > 0));
}

static int x_of(const tree_t *tree, int v)
{
    return tree->left + tree->places[v].column * (tree->box_width + LINK_WIDTH);
}

/* The middle. */
static int y_of(const tree_t *tree, int v)
{
    return tree->top + tree->places[v].top * ROW_HEIGHT + tree->places[v].rows * ROW_HEIGHT / 2;
}

/* ---- texts ---- */

/* If a name does not fit, its domain is left out, and then its middle: names differ in their ends. */
static void write_short_name(const tree_t *tree, int v)
{
    enum { PART = LETTERS_MAX / 2 - 1 };
    const char *name = tree->topology->names[v];
    const bool fits = strlen(name) <= LETTERS_MAX;
    const int length = (int)(fits ? strlen(name) : strcspn(name, "."));
    char text[LETTERS_MAX + 1];

    if (length <= LETTERS_MAX) {
        snprintf(text, sizeof(text), "%.*s", length, name);
    } else {
        snprintf(text, sizeof(text), "%.*s..%.*s", PART, name, PART, name + length - PART);
    }
    irr_svg_text(tree->stream, text);
}

/* The ranks of a host, as they fit: 0-3, or 0, 4, 8 and so on. */
static void write_ranks(const tree_t *tree, int host)
{
    const int *host_of = tree->job->host_of, ranks = tree->job->plans->ranks;
    const int letters = tree->box_width / DIGIT_WIDTH - (int)strlen(", ..");
    int used = fprintf(tree->stream, "rank ");
    const char *between = "";
    char text[32];

    for (int r = 0, last; r < ranks; r = last + 1) {
        last = r;
        if (host_of[r] != host) {
            continue;
        }
        while (last + 1 < ranks && host_of[last + 1] == host) {
            last++;
        }
        used += snprintf(text, sizeof(text), last > r ? "%s%d-%d" : "%s%d", between, r, last);
        if (used > letters && between[0] != '\0') {
            fputs(", ..", tree->stream);
            break;
        }
        fputs(text, tree->stream);
        between = ", ";
    }
}

/* ---- the picture ---- */

/* A direction of a link from its lower end to the higher one, or the other way. */
static void write_link_name(const tree_t *tree, int edge)
{
    const char *name = tree->topology->names[edge / 2];
    const char *parent = tree->topology->names[tree->topology->parent[edge / 2]];
    const bool up = edge % 2 == 0;

    irr_svg_text(tree->stream, up ? name : parent);
    fputs(" -&gt; ", tree->stream);
    irr_svg_text(tree->stream, up ? parent : name);
}

/* From x to x + length, which may be negative, with its head at the end. */
static void write_arrow(FILE *out, const char *class, double x, double y, double length, double width)
{
    const double half = width / 2, sign = length < 0 ? -1 : 1, neck = x + length - sign * HEAD_LENGTH;

    fprintf(out, "<path class=\"%s\" d=\"M%g %gL%g %gL%g %gL%g %gL%g %gL%g %gL%g %gZ\"/>", class, x, y - half,
            neck, y - half, neck, y - half - HEAD_MORE / 2.0, x + length, y, neck, y + half + HEAD_MORE / 2.0,
            neck, y + half, x, y + half);
}

static uint64_t load_of(const tree_t *tree, int edge)
{
    return irr_tree_at_base(tree->job->tree, edge, tree->links.bytes[edge]);
}

static bool is_busiest(const tree_t *tree, int edge)
{
    return tree->links.load > 0 && load_of(tree, edge) == tree->links.load;
}

static void write_label(const tree_t *tree, int edge, int x, int y)
{
    const uint64_t speed = tree->topology->speed[edge / 2];
    char text[64];
    int width;

    irr_svg_bytes(tree->links.bytes[edge], text, sizeof(text));
    if (speed != tree->job->tree->base) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), " / %.3g", (double)speed / tree->job->tree->base);
    }
    width = (int)strlen(text) * DIGIT_WIDTH + 4;
    fprintf(tree->stream, "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\"/>", x - width / 2,
            y - 7, width);
    irr_svg_label(tree->stream, "bytes", x, y + 4, "%s", text);
}

static void write_direction(const tree_t *tree, int edge)
{
    const uint64_t bytes = tree->links.bytes[edge];
    const uint64_t load = load_of(tree, edge);
    const bool up = edge % 2 == 0;
    const int right = x_of(tree, edge / 2) - ARROW_MARGIN, left = right - LINK_WIDTH + 2 * ARROW_MARGIN;
    const int y = y_of(tree, edge / 2) + (up ? -ARROW_OFFSET : ARROW_OFFSET);

    fputs("<g><title>", tree->stream);
    write_link_name(tree, edge);
    fprintf(tree->stream, ": %" PRIu64 " bytes", bytes);
    if (tree->topology->speed[edge / 2] != tree->job->tree->base) {
        fprintf(tree->stream, ", speed %" PRIu64, tree->topology->speed[edge / 2]);
    }
    fputs("</title>", tree->stream);
    if (bytes == 0) {
        fprintf(tree->stream, "<path class=\"unused\" d=\"M%d %dH%d\"/>", left, y, right);
    } else {
        write_arrow(tree->stream, is_busiest(tree, edge) ? "busiest" : "used", up ? right : left, y,
                    up ? left - right : right - left,
                    ARROW_MIN + (ARROW_MAX - ARROW_MIN) * ((double)load / (double)tree->links.load));
        write_label(tree, edge, (left + right) / 2, y);
    }
    fputs("</g>\n", tree->stream);
}

static void write_vertex(const tree_t *tree, int v)
{
    const bool host = v < tree->topology->hosts;
    const int x = x_of(tree, v), y = y_of(tree, v), height = tree->places[v].rows * ROW_HEIGHT - BOX_GAP;

    fputs("<g><title>", tree->stream);
    irr_svg_text(tree->stream, tree->topology->names[v]);
    fprintf(tree->stream, "</title><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>"
            "<text class=\"name\" x=\"%d\" y=\"%d\">", host ? "host" : "switch", x, y - height / 2,
            tree->box_width, height, x + tree->box_width / 2, host ? y - 2 : y + 4);
    write_short_name(tree, v);
    fputs("</text>", tree->stream);
    if (host) {
        fprintf(tree->stream, "<text class=\"rank on\" x=\"%d\" y=\"%d\">", x + tree->box_width / 2, y + 13);
        write_ranks(tree, v);
        fputs("</text>", tree->stream);
    }
    fputs("</g>\n", tree->stream);
}

/* The sample of a row of the legend, and the begin of its text. */
static void write_sample(const tree_t *tree, int row, const char *class)
{
    const int y = IRR_SVG_TITLE + 6 + row * LEGEND_HEIGHT;

    if (strcmp(class, "unused") == 0) {
        fprintf(tree->stream, "<path class=\"unused\" d=\"M%d %dh%d\"/>", IRR_SVG_MARGIN, y, SAMPLE_WIDTH);
    } else {
        write_arrow(tree->stream, class, IRR_SVG_MARGIN, y, SAMPLE_WIDTH,
                    strcmp(class, "busiest") == 0 ? ARROW_MAX : (ARROW_MIN + ARROW_MAX) / 2.0);
    }
    fprintf(tree->stream, "<text x=\"%d\" y=\"%d\">", IRR_SVG_MARGIN + SAMPLE_WIDTH + 8, y + 4);
}

/* Counts the directions of links of each kind. */
static void survey(tree_t *tree)
{
    for (int e = 0; e < 2 * tree->topology->vertices; e++) {
        if (tree->topology->parent[e / 2] >= 0) {
            tree->busiest += is_busiest(tree, e);
            tree->used += !is_busiest(tree, e) && tree->links.bytes[e] > 0;
            tree->unused += tree->links.bytes[e] == 0;
        }
    }
}

static void write_legend(const tree_t *tree)
{
    int row = 0;

    if (tree->busiest > 0) {
        write_sample(tree, row++, "busiest");
        fputs("the busiest: ", tree->stream);
        write_link_name(tree, tree->links.busiest);
        fprintf(tree->stream, ", %" PRIu64 " bytes%s", tree->links.load,
                tree->topology->speed[tree->links.busiest / 2] != tree->job->tree->base ? " divided by its speed" : "");
        if (tree->busiest > 1) {
            fprintf(tree->stream, ", and %d other%s", tree->busiest - 1, tree->busiest == 2 ? "" : "s");
        }
        fputs("</text>\n", tree->stream);
    }
    if (tree->used > 0) {
        write_sample(tree, row++, "used");
        fputs("as wide as its bytes divided by its speed</text>\n", tree->stream);
    }
    if (tree->unused > 0) {
        write_sample(tree, row, "unused");
        fprintf(tree->stream, "carries nothing%s</text>\n",
                tree->busiest == 0 ? ": no message leaves its host" : "");
    }
}

static void write_picture(const tree_t *tree)
{
    const int columns = tree->columns * (tree->box_width + LINK_WIDTH) - LINK_WIDTH;
    const int width = columns + 2 * IRR_SVG_MARGIN;
    char caption[160];

    snprintf(caption, sizeof(caption), "Bytes on each direction of each link in use; %zu time%s messages of one step "
             "share a direction.", tree->links.contention, tree->links.contention == 1 ? "" : "s");
    irr_tool_svg_open(tree->job, width, tree->top + tree->rows * ROW_HEIGHT + IRR_SVG_MARGIN, NULL,
                      ".switch { fill: #e4e4e4; }\n.host { fill: #f5efdc; }\n.used { fill: #7fb2de; }\n"
                      ".busiest { fill: #d01c1c; }\n.paper { fill: #fff; }\n"
                      ".unused { fill: none; stroke: #aaa; stroke-dasharray: 2 4; }\n"
                      ".name { font-weight: bold; text-anchor: middle; }\n.on { text-anchor: middle; }\n"
                      ".bytes { font-size: 11px; text-anchor: middle; }\n",
                      caption);
    write_legend(tree);
    for (int v = 0; v < tree->topology->vertices; v++) {
        if (tree->topology->parent[v] >= 0) {
            write_direction(tree, 2 * v);
            write_direction(tree, 2 * v + 1);
        }
        write_vertex(tree, v);
    }
    fputs("</svg>\n", tree->stream);
}

irr_cli_exit_t irr_tool_draw_tree(const irr_tool_job_t *job)
{
    tree_t tree = { .job = job, .topology = job->topology, .stream = job->stream };
    irr_status_t status = irr_links_count(job->plans, job->tree, &tree.links);

    if (status == IRR_OK) {
        tree.places = malloc((size_t)job->topology->vertices * sizeof(*tree.places));
        status = tree.places != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
    }
    if (status == IRR_OK) {
        survey(&tree);
        lay_out(&tree);
        write_picture(&tree);
    }
    free(tree.places);
    irr_links_fini(&tree.links);
    return irr_tool_outcome(job, status);
}
