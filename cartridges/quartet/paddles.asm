; Quartet: who moves the paddles: controllers, joysticks, the cartridge.

; Joysticks move paddles 0 and 1.  They are known by what paddles never do: press up or down.
sticks  subroutine
        lda SWCHA
        ldx #0
.jack   tay
        and #$30
        cmp #$30
        beq .paddles
        lda STICKS
        ora sticked,x
        sta STICKS
.paddles
        lda STICKS
        and sticked,x
        beq .other
        tya
        and #$50        ; up, left
        cmp #$50
        beq .down
        lda STICK,x
        sec
        sbc #6
        bcs .set
        lda #0
        beq .set
.down   tya
        and #$A0        ; down, right
        cmp #$A0
        beq .hold
        lda STICK,x
        clc
        adc #6
        cmp #KNOBS
        bcc .set
        lda #KNOBS
.set    sta STICK,x
.hold   lda STICK,x
        sta KNOB,x
.other  tya
        asl
        asl
        asl
        asl
        inx
        cpx #2
        bne .jack
        rts

; Moves the paddle of player X.
move    subroutine
        cpx HUMANS
        bcs computer
        lda KNOB,x
        lsr
        sta TEMP
        lsr
        lsr
        clc
        adc TEMP        ; 5/8 of it, at most HIGHEST - LOWEST
        cpx #2
        bcs .across
        adc #LOWEST     ; turned right: up
        sta PADDLE,x
        rts
.across eor #$FF
        adc #HIGHEST    ; turned right: right; carry is set
        sta PADDLE,x
        rts

; The cartridge goes after a ball that comes its way, and to the middle while there is none; the difficulty switches
; say how fast.
computer subroutine
        lda SWCHB
        rol
        rol
        rol
        and #3
        tay
        lda FRAME
        lsr
        lda paces,y
        adc #0
        lsr
        sta TEMP        ; how far it may go in this frame
        ldy #68
        lda STATE
        cmp #PLAY
        bne .aim
        txa
        and #1
        sta TEMP2
        ldy along,x
        tya
        eor #1
        tay
        lda DIR,y
        eor TEMP2
        ldy #68
        lsr
        bcs .aim
        ldy along,x
        lda BALL,y
        clc
        adc AIM
        cmp #17+LOWEST
        bcs .low
        lda #17+LOWEST
        sec
.low    sbc #17
        cmp #HIGHEST
        bcc .high
        lda #HIGHEST
.high   tay
.aim    tya
        sec
        sbc PADDLE,x
        beq .there
        bcs .onward
        eor #$FF
        adc #1
        cmp TEMP
        bcc .reach
        lda PADDLE,x
        sbc TEMP
        sta PADDLE,x
        rts
.onward cmp TEMP
        bcc .reach
        lda PADDLE,x
        clc
        adc TEMP
        sta PADDLE,x
        rts
.reach  sty PADDLE,x
.there  rts
