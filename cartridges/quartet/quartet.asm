; Quartet: a ball, a square field, and four paddles that guard its sides.
;
; A game for the Atari 2600, written for research with several agents: 4 KB, NTSC, 262 lines, no flicker.  What each
; mode is about, and what every byte of RAM means, is told in docs/quartet.md.
;
;     dasm quartet.asm -f3 -oquartet.bin
;
; The field is 160 units wide and high, a unit being a pixel across and a line down.  The sides are numbered as their
; players: 0 left, 1 right, 2 top, 3 bottom.  Everything treats the four alike, so that no side is better than another:
; what is done along one axis is done by the same code along the other, and a coordinate c has its mirror image at
; $9CFF - c (high byte: the place, low byte: 1/256 of a unit), exactly.

        processor 6502

; ---- The hardware ---------------------------------------------------------------------------------------------------

VSYNC   = $00
VBLANK  = $01
WSYNC   = $02
NUSIZ0  = $04
NUSIZ1  = $05
COLUP0  = $06
COLUP1  = $07
COLUPF  = $08
COLUBK  = $09
CTRLPF  = $0A
PF0     = $0D
PF1     = $0E
PF2     = $0F
RESP0   = $10
AUDC0   = $15
AUDF0   = $17
AUDV0   = $19
GRP0    = $1B
GRP1    = $1C
ENAM0   = $1D
ENAM1   = $1E
ENABL   = $1F
HMP0    = $20
HMOVE   = $2A
INPT0   = $08           ; paddles, read
INPT1   = $09
INPT2   = $0A
INPT3   = $0B
INPT4   = $0C           ; joystick buttons, read
SWCHA   = $0280
SWCHB   = $0282
INTIM   = $0284
TIM64T  = $0296

; ---- The field and the rules ----------------------------------------------------------------------------------------

FIELD    = 34           ; the line of the picture on which the field begins; above it are the scores
ROWS     = 160
NEAR     = 8            ; the ball is in play while its coordinates are NEAR to FAR
FAR      = 148
BALLSIZE = 4
LENGTH   = 24           ; of a paddle
REACH    = LENGTH+BALLSIZE-1 ; so many offsets of ball to paddle are a return
LOWEST   = 9            ; places of a paddle
HIGHEST  = 127
KNOBS    = 191          ; the reading of a paddle turned all the way to the left

DUEL     = 0            ; GAME
MELEE    = 1
TEAMS    = 2
RALLY    = 3
COMMONS  = 4

IDLE     = 0            ; STATE
SERVE    = 1
PLAY     = 2
OVER     = 3

MODES    = 18
WIN      = $11          ; points that win a duel, or a game of teams (packed decimal)
LIFES    = 5            ; in melee
CHANCES  = 3            ; in rally
STOCKMAX = 63
STOCK0   = 48           ; at the start
HARVEST  = 4            ; what a return takes of the stock
SEASONS  = 112          ; of 64 frames, in commons
TOPSPEED = 7            ; in all games but rally
FASTEST  = 9
POWER    = 2            ; what the button adds to the speed

BLANK    = $AA          ; a number that shows nothing

; ---- RAM ------------------------------------------------------------------------------------------------------------

        seg.u ram
        org $80
MODE    ds 1            ; 1 to MODES
GAME    ds 1
HUMANS  ds 1            ; players below this number have a controller, the cartridge plays the others
STATE   ds 1
BALL    ds 2            ; place of the ball's left upper corner: across, down
BALLF   ds 2            ; fractions of it
DIR     ds 2            ; 0: to the left, up; 1: to the right, down
VLO     ds 2            ; velocity, without sign: fractions, units a frame
VHI     ds 2
SPEED   ds 1            ; the row of the table of velocities
RETURNS ds 1            ; since the serve
PADDLE  ds 4            ; place of the paddles' left or upper end
POINTS  ds 4            ; what players have won less what they have lost; two's complement, goes round
SCORE   ds 4            ; as shown: packed decimal
LIVES   ds 4            ; 0: this side is a wall
STOCK   ds 1
CLOCK   ds 1            ; seasons left
TIMER   ds 1            ; frames until the serve
HITTER  ds 1            ; who returned the ball last, $FF: nobody since the serve
LOSER   ds 1            ; who missed it last, $FF: nobody yet
KNOB    ds 4            ; readings of the paddles
FRAME   ds 1
RANDOM  ds 2
AIM     ds 1            ; where on its paddle the cartridge wants the ball
GROWTH  ds 1            ; fractions of the stock
HELD    ds 1            ; SELECT as of the frame before
NOISE   ds 1            ; frames of the present sound that are left
STICKS  ds 1            ; bit 7: a joystick on the left, bit 6: on the right, instead of paddles
STICK   ds 2            ; readings that they stand for
TINT    ds 4            ; colours of the players
LEFTP   ds 2            ; what is to be drawn on each line: the left paddle
RIGHTP  ds 2
BALLP   ds 2
TOPGRP  ds 1            ; the top paddle, or else the wall
TOPPF   ds 1
TOPPF0  ds 1
LOWGRP  ds 1
LOWPF   ds 1
LOWPF0  ds 1
DIGITS  ds 20           ; five rows of each of the four numbers
BAR     ds 2            ; the stock
SIDE    ds 1            ; scratch
TEMP    ds 1
TEMP2   ds 1

; ---- Macros ---------------------------------------------------------------------------------------------------------

; A paddle's reading is the last line on which its capacitor was not yet charged.  24 to 32 cycles.
        mac KNOBS4
        bit INPT0
        bmi .one
        sty KNOB
.one    bit INPT1
        bmi .two
        sty KNOB+1
.two    bit INPT2
        bmi .three
        sty KNOB+2
.three  bit INPT3
        bmi .four
        sty KNOB+3
.four
        endm

; What of the left paddle, the ball and the right paddle is on line Y.  At most 27 cycles.
        mac OBJECTS
        lda (LEFTP),y
        sta ENAM0
        lda (BALLP),y
        sta ENABL
        lda (RIGHTP),y
        sta ENAM1
        endm

; Lines with nothing but readings, up to line {1}.
        mac PLAIN
.line   sta WSYNC
        OBJECTS
        KNOBS4
        iny
        cpy #{1}
        bne .line
        endm

; Fifteen lines: the numbers of players {1} and {1} + 1.  The right one is written while the beam is between the two.
        mac NUMBERS
        ldx #0
.row    lda #3
        sta TEMP
.line   sta WSYNC
        lda DIGITS+5*{1},x
        sta PF1
        KNOBS4
        nop
        nop
        lda DIGITS+5*{1}+5,x
        sta PF1
        iny
        dec TEMP
        bne .line
        inx
        cpx #5
        bne .row
        endm

; ---- Start ----------------------------------------------------------------------------------------------------------

        seg code
        org $F000

; What RAM and timer hold when the power comes on decides all serves.
start   subroutine
        sei
        cld
        lda INTIM
        ldx #$7F
.mix    cmp #$80
        rol
        eor $80,x
        dex
        bpl .mix
        tay
        ldx #$7F
.stir   rol
        adc $80,x
        dex
        bpl .stir
        sta TEMP
        ldx #$FF
        txs
        inx
        lda #0
.clear  cpx #TEMP
        beq .kept
        sta $00,x
.kept   inx
        bne .clear
        lda TEMP
        ora #1          ; the generator must not start from zero
        sta RANDOM
        sty RANDOM+1
        lda #KNOBS/2
        sta STICK
        sta STICK+1
        inc MODE
        jsr idle

; ---- A frame --------------------------------------------------------------------------------------------------------

frame   subroutine
        lda #$82
        sta VBLANK
        sta WSYNC
        sta VSYNC       ; bit 1
        sta WSYNC
        sta WSYNC
        lda #29
        sta WSYNC
        sta TIM64T
        lda #0
        sta VSYNC
        jsr draw
        jsr prepare
.wait   lda INTIM
        bne .wait
        sta WSYNC

; Thirteen lines, in which the objects take their places.  The last seven of them, and from them on, the capacitors of
; the paddles charge.
        ldx #0
        lda PADDLE+2
        jsr place4
        inx
        lda PADDLE+3
        jsr place4
        inx
        lda #4
        jsr place2
        lda #$02
        sta VBLANK
        ldx #4
        lda BALL
        jsr place2
        dex
        lda #152
        jsr place2
        sta WSYNC
        sta WSYNC
        sta HMOVE
        ldy #0

; Lines 0 to 33: scores.
        sta WSYNC
        sty VBLANK
        lda TINT
        sta COLUP0
        lda TINT+1
        sta COLUP1
        KNOBS4
        iny
        sta WSYNC
        KNOBS4
        iny
        NUMBERS 0
        sta WSYNC
        lda #0
        sta PF1
        lda TINT+2
        sta COLUP0
        lda TINT+3
        sta COLUP1
        KNOBS4
        iny
        sta WSYNC
        KNOBS4
        iny
        NUMBERS 2

; Lines 34 to 193: the field.  Where something begins or ends the paddles go unread for a line.
        sta WSYNC       ; corners
        lda #$30
        sta PF0
        lda #0
        sta PF1
        sta PF2
        lda #$21        ; mirrored, ball of four pixels
        sta CTRLPF
        lda (BALLP),y
        sta ENABL
        lda TINT+2
        sta COLUP0
        lda TINT+1
        sta COLUP1
        iny
        PLAIN FIELD+4
        sta WSYNC       ; top paddle or wall
        lda (BALLP),y
        sta ENABL
        lda TOPGRP
        sta GRP0
        lda TOPPF0
        sta PF0
        lda TOPPF
        sta PF1
        sta PF2
        iny
        PLAIN FIELD+8
        ldx #0
        sta WSYNC       ; between
        lda (BALLP),y
        sta ENABL
        stx PF0
        lda TINT
        sta COLUP0
        stx GRP0
        stx PF1
        stx PF2
        lda (LEFTP),y
        sta ENAM0
        lda (RIGHTP),y
        sta ENAM1
        iny
        PLAIN FIELD+151
        sta WSYNC
        OBJECTS
        iny
        lda #0
        sta ENAM0       ; its last line is drawn
        ldx LOWPF0
        lda TINT+3
        sta WSYNC       ; bottom paddle or wall
        stx PF0
        sta COLUP1
        lda LOWGRP
        sta GRP1
        lda LOWPF
        sta PF1
        sta PF2
        lda (BALLP),y
        sta ENABL
        lda #0
        sta ENAM1
        iny
        PLAIN FIELD+156
        ldx #$30
        lda #0
        sta WSYNC       ; corners
        stx PF0
        sta GRP1
        sta PF1
        sta PF2
        lda (BALLP),y
        sta ENABL
        iny
        PLAIN FIELD+ROWS

; Lines 194 to 201: the stock.
        lda #$D8
        ldx #0
        sta WSYNC
        stx PF0
        stx ENABL
        sta COLUPF
        lda BAR
        sta PF1
        lda BAR+1
        sta PF2
        iny
.strip  sta WSYNC
        KNOBS4
        iny
        cpy #FIELD+ROWS+8
        bne .strip
        sta WSYNC

; Twenty lines without a picture: the game.
        lda #$82
        sta VBLANK
        lda #24
        sta TIM64T
        lda #0
        sta PF1
        sta PF2
        jsr play
.rest   lda INTIM
        bne .rest
        jmp frame

; Puts object X (0, 1: players, by place4; 2, 3: missiles, 4: ball, by place2) at A.  Two lines.
place   subroutine
place4  sec
        sbc #2
place2  clc
        adc #4
        sec
        sta WSYNC
.div    sbc #15
        bcs .div
        eor #7
        asl
        asl
        asl
        asl
        sta HMP0,x
        sta RESP0,x
        sta WSYNC
        rts

        include "picture.asm"
        include "game.asm"
        include "paddles.asm"
        include "tables.asm"

        org $FFFC
        dc.w start
        dc.w start
