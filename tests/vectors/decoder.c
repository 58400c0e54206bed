/* Reads dealing machine frames: a second reader, written from protocol/PROTOCOL.md alone, in plain C11.
 *
 * stdin: one byte stream a line, in hex (spaces between bytes are ignored). stdout: for each whole frame the lines
 * kind=, type=, connection=, number=, message=, then one name=value for each field, then trailing=; a frame that is no
 * message gives error= instead; one "." ends each line of input. Not for a machine: a machine wants no stdio. */

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 10, PAYLOAD = 114, CRC = 4, FRAME = HEADER + PAYLOAD + CRC, RUN = FRAME + 1 };

/* A layout is words of name:type: 1 2 4 8 = integer (codes and flags too) of so many bytes, b = flag, tN = text,
 * xN = bytes, M = magic, L = ledger records as many as the byte before says, E = event entries likewise. */
struct layout { uint8_t kind, type; const char *message, *fields; };

static const struct layout LAYOUTS[] = {
    {0x01, 0, "Hello", "magic:M nonce:4 major_oldest:1 major_newest:1"},
    {0x03, 0, "Beat", ""},
    {0x04, 0, "Stop", ""},
    {0x81, 0, "HelloAck", "nonce:4 connection:4 boot_id:4 reset_cause:1 memory_lost:b major:1 major_oldest:1 "
                          "major_newest:1 serial:t16"},
    {0x84, 0, "Tick", "uptime_ms:4 last_event:4 odometer:4 state:1 index:1"},
    {0x85, 0, "Stopped", "run:8 state:1 index:1 odometer:4 doubt:1"},
    {0x86, 0, "Log", "level:1 text:t64"},
    {0x02, 1, "Identify", ""},
    {0x02, 2, "Status", ""},
    {0x02, 3, "Arm", "run:8 plan_tag:x8 board:2 routing:1 on_anomaly:1 more_packs:b confirmed:1 put_back:1 first:1 "
                     "last_event:4 destinations:x13"},
    {0x02, 4, "Go", "token:4"},
    {0x02, 5, "Pause", ""},
    {0x02, 6, "Clear", "event:4"},
    {0x02, 7, "Close", "run:8"},
    {0x02, 8, "ReadLedger", "run:8 first:1"},
    {0x02, 9, "ReadEvents", "first:4"},
    {0x82, 1, "Identity", "minor:1 model:t16 firmware:t16 frame_limit:1 ring:1 in_flight:1 prefetch:1 card_limit_ms:2 "
                          "card_ms:2 threshold:1 recognition:1 ledger:1 pockets:1 board:1 hopper:1 features:2"},
    {0x82, 2, "StatusReport", "run:8 state:1 reason:1 index:1 doubt:1 pack_end:1 run_flags:1 sensors:2 board_number:2 "
                              "pocket_counts:x4 fault:1 fault_class:1 fault_index:1 fault_place:1 fault_attempt:1 "
                              "fault_event:4 board_edges:2 cover_edges:2 odometer:4 last_event:4 uptime_ms:4 may:1 "
                              "cannot_go_on:1 frames_in:4 bad_in:2 echoes:2 out_of_turn:2 frames_out:4 dropped_out:2"},
    {0x82, 3, "Armed", "run:8 token:4 lives_ms:2 first:1"},
    {0x82, 4, "Going", "run:8 state:1 index:1"},
    {0x82, 5, "Pausing", "state:1 index:1"},
    {0x82, 6, "Cleared", "event:4"},
    {0x82, 7, "Closed", "run:8 state:1 index:1 doubt:1"},
    {0x82, 8, "Ledger", "run:8 first:1 count:1 records:L"},
    {0x82, 9, "Events", "first:4 count:1 entries:E"},
    {0x82, 127, "Refused", "request:1 reason:1 why:1 index:1 doubt:1 detail:4"},
    {0x83, 1, "BootEvent", "boot_id:4 reset_cause:1 memory_lost:b"},
    {0x83, 2, "RunEvent", "run:8 state:1 reason:1 index:1 doubt:1 pack_end:1"},
    {0x83, 3, "CardEvent", "index:1 pocket:1 proof:1 attempt:1 odometer:4 since_go_ms:4"},
    {0x83, 4, "FaultEvent", "fault:1 fault_class:1 index:1 place:1 attempt:1"},
    {0x83, 5, "BoardEvent", "present:b number:2 edges:2"},
    {0x83, 6, "CoverEvent", "open:b edges:2"},
    {0x83, 7, "HopperEvent", "cards:b"},
    {0x83, 8, "KeyEvent", "key:1"},
};

static uint64_t integer(const uint8_t *at, size_t size) {
    uint64_t value = 0;
    while (size--) value = value << 8 | at[size];
    return value;
}

static uint32_t crc32(const uint8_t *at, size_t size) {
    uint32_t crc = 0xffffffff;
    while (size--) {
        crc ^= *at++;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void bytes(const uint8_t *at, size_t size) {
    while (size--) printf("%02x", *at++);
}

static void text(const uint8_t *at, size_t size) {
    for (; size-- && *at; at++) putchar(*at >= ' ' && *at <= '~' ? *at : '?');
}

/* Prints one field; gives its size in the payload, or -1 when fewer than that are left. `before` = the byte before it. */
static int field(const char *name, int length, const char *type, const uint8_t *at, size_t left, uint8_t before) {
    size_t size = strtoul(type + !isdigit((unsigned char)*type), NULL, 10);
    if (*type == 'b') size = 1;
    if (*type == 'M') size = 4;
    if (*type == 'L') size = 4u * before;
    if (*type == 'E') size = 15u * before;
    if (size > left || (*type == 'M' && memcmp(at, "DEAL", 4))) return -1;
    for (size_t done = 0; *type == 'L' && done < size; done += 4, at += 4)
        printf("%.*s=%d:%d:%d:%d:%d:%d\n", length, name, at[0], at[1], at[2] & 3, at[2] >> 2, at[3] & 15, at[3] >> 4);
    for (size_t done = 0; *type == 'E' && done < size; done += 15, at += 15) {
        printf("%.*s=%d:", length, name, at[0]);
        bytes(at + 1, 14);
        putchar('\n');
    }
    if (*type == 'L' || *type == 'E') return (int)size;
    printf("%.*s=", length, name);
    if (*type == 'b') printf("%d", *at != 0);
    else if (*type == 't' || *type == 'M') text(at, size);
    else if (*type == 'x') bytes(at, size);
    else printf("%llu", (unsigned long long)integer(at, size));
    putchar('\n');
    return (int)size;
}

static void frame(const uint8_t *data, size_t size) {
    const uint8_t *at = data + HEADER, *end = data + size - CRC;
    int numbered = data[0] == 0x02 || data[0] == 0x82 || data[0] == 0x83;
    const struct layout *layout = LAYOUTS, *last = LAYOUTS + sizeof LAYOUTS / sizeof *LAYOUTS;
    while (layout < last && (layout->kind != data[0] || (numbered && layout->type != data[1]))) layout++;
    printf("kind=%d\ntype=%d\nconnection=%llu\nnumber=%llu\n", data[0], data[1],
           (unsigned long long)integer(data + 2, 4), (unsigned long long)integer(data + 6, 4));
    if (layout == last && data[0] == 0x83) {
        printf("message=UnknownEvent\nevent_type=%d\ndata=", data[1]);
        bytes(at, (size_t)(end - at));
        printf("\ntrailing=0\n");
        return;
    }
    if (layout == last) {
        printf("error=UnknownType\n");
        return;
    }
    printf("message=%s\n", layout->message);
    for (const char *word = layout->fields; *word;) {
        int length = (int)strcspn(word, ":");
        int took = field(word, length, word + length + 1, at, (size_t)(end - at), at[-1]);
        if (took < 0) {
            printf("error=PayloadTooShort\n");
            return;
        }
        at += took;
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    printf("trailing=%d\n", (int)(end - at));
}

/* Undoes the stuffing of one run and checks length, checksum and kind; whatever fails is dropped. */
static void run_ended(const uint8_t *run, size_t size) {
    uint8_t data[RUN];
    size_t length = 0;
    for (size_t at = 0; at < size;) {
        size_t count = run[at];
        if (at + count > size) return;
        memcpy(data + length, run + at + 1, count - 1);
        length += count - 1;
        at += count;
        if (at < size) data[length++] = 0;
    }
    if (length < HEADER + CRC || length > FRAME) return;
    if (crc32(data, length - CRC) != integer(data + length - CRC, CRC)) return;
    if ((data[0] >= 0x01 && data[0] <= 0x04) || (data[0] >= 0x81 && data[0] <= 0x86)) frame(data, length);
}

int main(void) {
    uint8_t run[RUN], byte = 0;
    size_t size = 0;
    int overlong = 0, digits = 0;
    for (int c; (c = getchar()) != EOF;) {
        if (c == '\n') {
            size = 0, overlong = 0, digits = 0;
            puts(".");
        }
        if (!isxdigit(c)) continue;
        byte = (uint8_t)(byte << 4 | (isdigit(c) ? c - '0' : tolower(c) - 'a' + 10));
        if (++digits % 2) continue;
        if (byte && size < RUN && !overlong) run[size++] = byte;
        else if (byte) overlong = 1;
        if (byte) continue;
        if (!overlong) run_ended(run, size);
        size = 0, overlong = 0;
    }
    return 0;
}
