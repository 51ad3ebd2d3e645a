/*
 * topology_lines.c - reads the lines of Slurm's topology.conf (topology/tree).
 *
 *     # any text
 *     SwitchName=leaf0 Nodes=n[0-7,9],login1
 *     SwitchName=leaf1 Nodes=n[10-17] LinkSpeed=4
 *     SwitchName=leaf2 Nodes=m[0-7] NodeSpeed=2 LinkSpeed=10
 *     SwitchName=top Switches=leaf[0-2]
 *
 * The syntax is that of Slurm (parse_config.c, hostlist.c and switch_record.c of its sources).  Each line describes a
 * switch.  Keywords may have upper or lower case, blanks may surround =, and values are in double quotes or have no
 * blanks.  A comment goes from # to the end of the line.  A line that ends in a backslash continues in the next line.
 * hostlist.h describes lists of names.  A host and a switch may have the same name.
 *
 * LinkSpeed is a number of 32 bits; Slurm does not define its unit or what it is used for.  For this reader it is the
 * speed of the link from the switch to its parent; the LinkSpeed of the top is ignored.  NodeSpeed is an extension,
 * which Slurm rejects: the speed of the link of each host in Nodes, in the same unit.  The default of both is 1, so if
 * a file has no NodeSpeed, the unit is the speed of a host's link.
 *
 * This reader rejects some lines that Slurm accepts: a switch with nothing below it, a keyword twice in a line, a speed
 * that is 0, hexadecimal or has a suffix, Include, and a backslash within a line.  In contrast to Slurm, it accepts
 * NodeSpeed, SwitchName after other keywords, and Nodes and Switches in one line.  Ethernet switches may have both
 * hosts and switches below them; two lines for such a switch would add a link that does not exist.
 *
 * Takes time that is linear in the length of the file and of all names.
 */
#include "problem/topology_lines.h"

#include "core/alloc.h"
#include "problem/hostlist.h"
#include "problem/topology.h"

#include <string.h>
#include <strings.h>

#define KEYWORD_SIGNS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

typedef struct reader {
    irr_lines_t          *lines;
    irr_topology_lines_t *read;
    char                 *text;       /* a line with its continuation lines */
    size_t                length, max;
} reader_t;

enum { SWITCH_NAME, NODES, SWITCHES, LINK_SPEED, NODE_SPEED, KEYWORDS };

static const char *const keywords[KEYWORDS] = { "SwitchName", "Nodes", "Switches", "LinkSpeed", "NodeSpeed" };

static irr_status_t no_memory(const reader_t *reader)
{
    return irr_lines_refuse(reader->lines, IRR_ERR_NO_MEMORY, "not enough memory for the topology");
}

/*
 * Removes the comment, and the backslash at the end of the line.  Sets *goes_on to true if there was such a backslash.
 */
static irr_status_t cut_line(const irr_lines_t *lines, bool *goes_on)
{
    char *text = lines->text, *comment = text + strcspn(text, "#"), *end = comment;
    char *backslash = strchr(text, '\\');

    while (end > text && strchr(IRR_LINES_BLANKS, end[-1]) != NULL) {
        end--;
    }
    backslash = backslash != NULL && backslash < comment ? backslash : NULL;
    if (backslash != NULL && (backslash + 1 != end || (*comment == '#' && end == comment))) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "a backslash is allowed only at the end of a line");
    }
    *goes_on = backslash != NULL;
    *(*goes_on ? backslash : end) = '\0';
    return IRR_OK;
}

static irr_status_t append(reader_t *reader)
{
    const size_t more = strlen(reader->lines->text) + 1;
    irr_status_t status = IRR_GROW(reader->text, reader->max, reader->length + more);

    if (status != IRR_OK) {
        return no_memory(reader);
    }
    memcpy(reader->text + reader->length, reader->lines->text, more);
    reader->length += more - 1;
    return IRR_OK;
}

/* Reads the next line with its continuation lines.  At the end of the file, lines->at_end is true. */
static irr_status_t next_line(reader_t *reader, size_t *first)
{
    irr_lines_t *lines = reader->lines;
    bool goes_on = false;
    irr_status_t status;

    reader->length = 0;
    *first = lines->line + 1;
    do {
        status = irr_lines_next(lines);
        if (status == IRR_OK && lines->at_end) {
            return goes_on ? irr_lines_refuse(lines, IRR_ERR_FORMAT, "file ends behind a backslash") : IRR_OK;
        }
        status = status == IRR_OK ? cut_line(lines, &goes_on) : status;
        status = status == IRR_OK ? append(reader) : status;
    } while (status == IRR_OK && goes_on);
    return status;
}

/* ---- the content of a line ---- */

static int find_keyword(const char *text, size_t length)
{
    for (int i = 0; i < KEYWORDS; i++) {
        if (strlen(keywords[i]) == length && strncasecmp(keywords[i], text, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Sets *value to the value at the start of the text, and advances *text past it. */
static irr_status_t cut_value(const irr_lines_t *lines, const char *keyword, char **text, char **value)
{
    const bool quoted = **text == '"';
    char *end;

    *text += quoted;
    *value = *text;
    end = *text + strcspn(*text, quoted ? "\"" : IRR_LINES_BLANKS);
    if (quoted && *end == '\0') {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "value of %s has only one quote; it must have two", keyword);
    }
    if (quoted && end[1] != '\0' && strchr(IRR_LINES_BLANKS, end[1]) == NULL) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "'%.32s' follows the value of %s without a blank", end + 1,
                                keyword);
    }
    *text = *end != '\0' ? end + 1 : end;
    *end = '\0';
    if (**value == '\0') {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "value of %s is empty", keyword);
    }
    return IRR_OK;
}

/* Reads KEYWORD=VALUE at the start of the text, and advances *text past it.  Stores the value in values[]. */
static irr_status_t read_pair(const irr_lines_t *lines, char **text, char **values)
{
    char *word = *text;
    const size_t length = strspn(word, KEYWORD_SIGNS);
    const int keyword = find_keyword(word, length);

    *text += length + strspn(word + length, IRR_LINES_BLANKS);
    if (length == 0 || **text != '=') {
        word[strcspn(word, IRR_LINES_BLANKS)] = '\0';
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "'%.64s' is not KEYWORD=VALUE", word);
    }
    if (keyword < 0) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT,
                                "unknown keyword '%.*s'; known are SwitchName, Nodes, Switches, LinkSpeed and "
                                "NodeSpeed",
                                (int)(length < 32 ? length : 32), word);
    }
    if (values[keyword] != NULL) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "%s is given twice", keywords[keyword]);
    }
    (*text)++;
    *text += strspn(*text, IRR_LINES_BLANKS);
    return cut_value(lines, keywords[keyword], text, &values[keyword]);
}

static irr_status_t add_children(reader_t *reader, const char *keyword, const char *list,
                                 irr_topology_children_t *children)
{
    const size_t before = children->names.count;
    const int parent = (int)reader->read->names.count - 1;
    char reason[128];
    irr_status_t status = irr_hostlist_expand(list, &children->names, reason, sizeof(reason));

    if (status == IRR_ERR_BAD_PARAM) {
        return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "%s: %s", keyword, reason);
    }
    if (status == IRR_OK) {
        status = IRR_GROW(children->parent, children->max, children->names.count);
    }
    if (status != IRR_OK) {
        return no_memory(reader);
    }
    for (size_t i = before; i < children->names.count; i++) {
        children->parent[i] = parent;
    }
    return IRR_OK;
}

static irr_status_t add_switch(reader_t *reader, const char *name, irr_topology_line_t line)
{
    irr_status_t status;

    if (!irr_name_is_good(name)) {
        return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "SwitchName '%.64s' is not the name of one switch",
                                name);
    }
    if (reader->read->names.count == IRR_TOPOLOGY_MAX) {
        return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "more than %d switches", IRR_TOPOLOGY_MAX);
    }
    status = IRR_GROW(reader->read->switches, reader->read->max, reader->read->names.count + 1);
    if (status == IRR_OK) {
        status = irr_names_add(&reader->read->names, name, strlen(name));
    }
    if (status != IRR_OK) {
        return no_memory(reader);
    }
    reader->read->switches[reader->read->names.count - 1] = line;
    return IRR_OK;
}

/* Reads the value of a speed; *speed is 1 if the keyword is missing. */
static irr_status_t read_speed(const reader_t *reader, int keyword, const char *value, uint64_t *speed)
{
    *speed = 1;
    return value == NULL ? IRR_OK
                         : irr_lines_number(reader->lines, keywords[keyword], value, 1, UINT32_MAX, speed);
}

/* Checks the values of a line, and adds its switch without children. */
static irr_status_t read_line(reader_t *reader, char *const *values)
{
    irr_topology_line_t line = { .line = reader->lines->line };
    irr_status_t status;

    if (values[SWITCH_NAME] == NULL) {
        return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "SwitchName is missing");
    }
    if (values[NODES] == NULL && values[SWITCHES] == NULL) {
        return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "switch '%.64s' has neither Nodes nor Switches",
                                values[SWITCH_NAME]);
    }
    if (values[NODES] == NULL && values[NODE_SPEED] != NULL) {
        return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "switch '%.64s' has NodeSpeed, but no Nodes",
                                values[SWITCH_NAME]);
    }
    reader->read->node_speeds = reader->read->node_speeds || values[NODE_SPEED] != NULL;
    status = read_speed(reader, LINK_SPEED, values[LINK_SPEED], &line.speed);
    if (status == IRR_OK) {
        status = read_speed(reader, NODE_SPEED, values[NODE_SPEED], &line.node_speed);
    }
    return status == IRR_OK ? add_switch(reader, values[SWITCH_NAME], line) : status;
}

static irr_status_t read_switch(reader_t *reader)
{
    char *text = reader->text + strspn(reader->text, IRR_LINES_BLANKS), *values[KEYWORDS] = { NULL };
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && *text != '\0') {
        status = read_pair(reader->lines, &text, values);
        text += strspn(text, IRR_LINES_BLANKS);
    }
    if (status == IRR_OK) {
        status = read_line(reader, values);
    }
    if (status == IRR_OK && values[NODES] != NULL) {
        status = add_children(reader, keywords[NODES], values[NODES], &reader->read->hosts);
    }
    if (status == IRR_OK && values[SWITCHES] != NULL) {
        status = add_children(reader, keywords[SWITCHES], values[SWITCHES], &reader->read->below);
    }
    return status;
}

/* If the line of a switch is continued, errors name its first line. */
static irr_status_t read_switches(reader_t *reader)
{
    irr_status_t status = IRR_OK;
    size_t first;

    while (status == IRR_OK) {
        status = next_line(reader, &first);
        if (status != IRR_OK || reader->lines->at_end) {
            break;
        }
        if (reader->text[strspn(reader->text, IRR_LINES_BLANKS)] != '\0') {
            const size_t last = reader->lines->line;

            reader->lines->line = first;
            status = read_switch(reader);
            reader->lines->line = status == IRR_OK ? last : first;
        }
    }
    if (status == IRR_OK && reader->read->names.count == 0) {
        reader->lines->line = 0;
        status = irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "file has no switch");
    }
    return status;
}

irr_status_t irr_topology_lines_read(irr_lines_t *lines, irr_topology_lines_t *read)
{
    reader_t reader = { .lines = lines, .read = read };
    irr_status_t status = read_switches(&reader);

    irr_free(reader.text);
    return status;
}

void irr_topology_lines_fini(irr_topology_lines_t *read)
{
    irr_names_fini(&read->below.names);
    irr_free(read->below.parent);
    irr_names_fini(&read->hosts.names);
    irr_free(read->hosts.parent);
    irr_names_fini(&read->names);
    irr_free(read->switches);
    *read = (irr_topology_lines_t){ .max = 0 };
}
