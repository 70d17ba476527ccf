; Quartet: what is to be drawn, made ready before each picture.

prepare subroutine
        ldx #3
        lda #0
.unread sta KNOB,x
        dex
        bpl .unread
        lda #$02        ; left half in the colour of player 0, right half of 1
        sta CTRLPF
        lda #$0E
        sta COLUPF
        lda #$27        ; missiles of four pixels, players four times as wide
        sta NUSIZ0
        sta NUSIZ1

        ldx #3
        ldy #3
        lda GAME
        cmp #TEAMS
        bne .tint
        ldy #7
.tint   lda LIVES,x
        beq .white      ; a wall
        lda tints,y
        dc.b $2C        ; BIT: skips two bytes
.white  lda #$0E
        sta TINT,x
        dey
        dex
        bpl .tint

; Left and right.
        lda LIVES
        beq .lwall
        sec
        lda #<(stripe-FIELD)
        sbc PADDLE
        sta LEFTP
        lda #>(stripe-FIELD)
        sbc #0
        bne .left       ; always
.lwall  lda #<(wall-FIELD)
        sta LEFTP
        lda #>(wall-FIELD)
.left   sta LEFTP+1
        lda LIVES+1
        beq .rwall
        sec
        lda #<(stripe-FIELD)
        sbc PADDLE+1
        sta RIGHTP
        lda #>(stripe-FIELD)
        sbc #0
        bne .right      ; always
.rwall  lda #<(wall-FIELD)
        sta RIGHTP
        lda #>(wall-FIELD)
.right  sta RIGHTP+1

; The ball, which is not there before a game and after it.
        lda #<(empty-FIELD)
        sta BALLP
        lda #>(empty-FIELD)
        sta BALLP+1
        lda STATE
        beq .top
        cmp #OVER
        beq .top
        sec
        lda #<(dot-FIELD)
        sbc BALL+1
        sta BALLP
        lda #>(dot-FIELD)
        sbc #0
        sta BALLP+1

; Top and bottom.
.top    ldx #0
.ends   lda #$FC
        sta TOPGRP,x
        lda #0
        sta TOPPF,x
        lda #$30
        sta TOPPF0,x
        lda LIVES+2
        cpx #0
        beq .which
        lda LIVES+3
.which  cmp #0
        bne .paddle
        sta TOPGRP,x
        lda #$FF
        sta TOPPF,x
        sta TOPPF0,x
.paddle txa
        clc
        adc #LOWGRP-TOPGRP
        tax
        cpx #2*(LOWGRP-TOPGRP)
        bne .ends

; The stock.
        ldx #0
        lda GAME
        cmp #COMMONS
        bne .bar
        lda STOCK
        clc
        adc #3
        lsr
        lsr
        tax
.bar    lda bars,x
        sta BAR
        lda bars2,x
        sta BAR+1
        rts

; Draws one number a frame, in turn.
draw    subroutine
        lda FRAME
        and #3
        tay
        ldx fives,y   ; to DIGITS
        lda SCORE,y
        lsr
        lsr
        lsr
        lsr
        bne .tens
        lda #$0A        ; no leading zero
.tens   sta TEMP
        asl
        asl
        adc TEMP
        sta TEMP        ; glyph of the tens
        lda SCORE,y
        and #$0F
        sta TEMP2
        asl
        asl
        adc TEMP2
        sta TEMP2       ; glyph of the ones
        lda #5
        sta SIDE
.row    ldy TEMP
        lda font,y
        and #$F0
        sta DIGITS,x
        ldy TEMP2
        lda font,y
        and #$0F
        ora DIGITS,x
        sta DIGITS,x
        inc TEMP
        inc TEMP2
        inx
        dec SIDE
        bne .row
        rts
