; Quartet: the rules, after each picture: switches, serves, the ball's flight, returns and misses, the stock.

play    subroutine
        inc FRAME
        ldx #3          ; the generator, a linear feedback shift register of 16 bits
.random lsr RANDOM+1
        ror RANDOM
        bcc .next
        lda RANDOM+1
        eor #$B4
        sta RANDOM+1
.next   dex
        bne .random

        ldx NOISE
        beq .quiet
        dex
        stx NOISE
.quiet  stx AUDV0

        jsr sticks
        ldx #3
.move   jsr move
        dex
        bpl .move

        lda SWCHB
        lsr
        bcs .select
        jmp begin       ; RESET
.select and #1
        tax
        eor HELD
        stx HELD
        beq .go
        txa
        bne .go
        inc MODE        ; SELECT has just been pressed
        lda MODE
        cmp #MODES+1
        bcc idle
        lda #1
        sta MODE

; Shows the mode and the number of controllers, and waits.
idle    ldx MODE
        lda games-1,x
        tay
        lsr
        lsr
        lsr
        lsr
        sta GAME
        tya
        and #$0F
        sta HUMANS
        sta SCORE+1
        lda numbers-1,x
        sta SCORE
        lda #BLANK
        sta SCORE+2
        sta SCORE+3
        lda #IDLE
        sta STATE
        lda #78
        sta BALL
        sta BALL+1
        ldx #3
.guard  lda #1
        cpx #2
        bcc .alive
        ldy GAME        ; in a duel top and bottom are walls
        bne .alive
        tya
.alive  sta LIVES,x
        lda #68
        sta PADDLE,x
        lda #0
        sta POINTS,x
        dex
        bpl .guard
        rts

.go     lda STATE
        cmp #SERVE
        beq serve
        cmp #PLAY
        bne .none
        jmp fly
.none   rts

; A game begins.
begin   subroutine
        jsr idle
        ldx GAME
        ldy #3
.each   lda scores,x
        cpy #2
        bcc .shown
        lda others,x
.shown  sta SCORE,y
        lda lifes,x
        beq .same       ; as idle left it
        sta LIVES,y
.same   dey
        bpl .each
        lda starts,x
        sta SPEED
        lda #STOCK0
        sta STOCK
        lda #SEASONS
        sta CLOCK
        lda #0
        sta GROWTH
        lda #1          ; a whole season before the first is over
        sta FRAME
        lda #$FF
        sta LOSER
        jmp again

; The ball waits where it was missed, then in the middle.
serve   subroutine
        dec TIMER
        beq .serve
        lda TIMER
        cmp #24
        bne .still
center  lda #78
        sta BALL
        sta BALL+1
        lda #$80
        sta BALLF
        sta BALLF+1
.still  jmp season
.serve  lda RANDOM      ; which way
        and #1
        sta DIR
        lda RANDOM
        lsr
        and #1
        sta DIR+1
        lda RANDOM      ; which axis mostly, in a duel always across
        lsr
        lsr
        and #1
        ldx GAME
        bne .axis
        txa
.axis   tax
        lda RANDOM
        lsr
        lsr
        lsr
        and #1          ; how steeply
        jsr launch
        lda #PLAY
        sta STATE
        jmp season

; The ball flies on from axis X at SPEED, turned away by table entry A.
launch  subroutine
        sta TEMP
        lda SPEED
launch2 asl
        asl
        ora TEMP
        tay
        lda nlo,y
        sta VLO,x
        lda nhi,y
        sta VHI,x
        txa
        eor #1
        tax
        lda tlo,y
        sta VLO,x
        lda thi,y
        sta VHI,x
        rts

; The ball flies.
fly     subroutine
        ldx #1
.axis   lda DIR,x
        beq .less
        clc
        lda BALLF,x
        adc VLO,x
        sta BALLF,x
        lda BALL,x
        adc VHI,x
        sta BALL,x
        bne .moved      ; always
.less   sec
        lda BALLF,x
        sbc VLO,x
        sta BALLF,x
        lda BALL,x
        sbc VHI,x
        sta BALL,x
.moved  dex
        bpl .axis

; Which sides has it reached?
        ldx #0
        jsr beyond
        sty SIDE
        inx
        jsr beyond
        cpy #$FF
        beq .across
        lda SIDE
        cmp #$FF
        bne .corner
        iny             ; top or bottom
        iny
        sty SIDE
        bne reached     ; always
.across lda SIDE
        cmp #$FF
        bne reached
        jmp season
.corner jsr bounce      ; off both
        dex
        ldy SIDE
        jsr bounce
        jmp thud

; Y: 0 if the ball is beyond the near side of axis X, 1 if it is beyond the far one, else $FF.
beyond  subroutine
        ldy #0
        lda BALL,x
        cmp #NEAR
        bcc .out
        iny
        cmp #FAR+1
        bcs .out
        ldy #$FF
.out    rts

; The ball bounces off the near (Y = 0) or the far side of axis X.
bounce  subroutine
        sec
        lda #$FF
        sbc BALLF,x
        sta BALLF,x
        lda planes,y
        sbc BALL,x
        sta BALL,x
        tya
        eor #1
        sta DIR,x
        rts

; The ball has reached a side.
reached subroutine
        ldx SIDE
        lda LIVES,x
        bne .guarded
        jsr turn
thud    lda #2
        ldx #$0C
        ldy #24
        jsr sound
        jmp season
.guarded
        lda along,x
        tay
        lda BALL,y
        clc
        adc #BALLSIZE-1
        sec
        sbc PADDLE,x
        cmp #REACH
        bcc return
        jmp miss

; Turns the ball back from SIDE.  Leaves the side's axis in X.
turn    subroutine
        ldx SIDE
        txa
        and #1
        tay
        txa
        lsr
        tax
        jmp bounce

; A return: the further from the paddle's middle, the flatter.
return  subroutine
        pha
        jsr turn
        pla
        sec
        sbc #REACH/2
        beq .kept
        ldy #1
        bcs .side
        eor #$FF
        adc #1
        dey
.side   pha
        txa
        eor #1
        tax
        tya
        sta DIR,x
        txa
        eor #1
        tax
        pla
.kept   tay
        lda zones,y
        sta TEMP

        inc RETURNS
        lda RETURNS
        and #3
        bne .steady
        ldy GAME
        lda SPEED
        cmp limits,y
        bcs .steady
        inc SPEED
.steady jsr fire
        lda SPEED
        ldy GAME
        cpy #RALLY
        bcs .soft
        ldy TEMP2
        beq .soft
        clc
        adc #POWER
.soft   jsr launch2

        lda RANDOM
        and #$0F
        cmp #$0F
        bne .aim
        lda #7          ; as many to one side as to the other
.aim    sta AIM
        ldx SIDE
        stx HITTER
        lda GAME
        cmp #RALLY
        beq .rally
        cmp #COMMONS
        bne .heard
        lda TEMP2       ; who holds the button holds back
        bne .heard
        lda STOCK
        sec
        sbc #HARVEST
        bcc .heard
        sta STOCK
        inc POINTS,x
        jsr count
        jmp .heard
.rally  ldy #3
.all    ldx POINTS,y
        inx
        stx POINTS,y
        dey
        bpl .all
        ldx #1          ; four digits
        jsr count
        bne .speed
        dex
        jsr count
.speed  ldx SPEED
        inx
        stx SCORE+3
.heard  lda SIDE
        asl
        asl
        adc #8
        tay
        lda #8
        ldx #4
        jsr sound
        jmp season

; Adds 1 to the number of player X, of two digits.
count   subroutine
        sed
        lda SCORE,x
        clc
        adc #1
        sta SCORE,x
        cld
        rts

; TEMP2: 0 unless SIDE is one with a controller whose button is held.
fire    subroutine
        ldy #0
        sty TEMP2
        ldy SIDE
        cpy HUMANS
        bcs .no
        cpy #2
        bcs .knob
        lda STICKS
        and sticked,y
        beq .knob
        lda INPT4,y
        bmi .no
        bpl .yes
.knob   lda SWCHA
        and buttons,y
        bne .no
.yes    inc TEMP2
.no     rts

; The ball got past SIDE.
miss    subroutine
        stx LOSER
        lda #15
        ldx #8
        ldy #20
        jsr sound
        ldx SIDE
        ldy GAME
        cpy #COMMONS
        beq .again
        cpy #RALLY
        beq .chance
        cpy #MELEE
        beq .melee

; A duel is a game of teams of one: odd sides against even ones.
        ldx #3
.team   txa
        eor SIDE
        lsr
        bcs .won
        dec POINTS,x
        bcc .member     ; always
.won    inc POINTS,x
.member dex
        bpl .team
        lda SIDE
        and #1
        eor #1
        tax
        jsr count
        cmp #WIN
        beq .over
.again  jmp again

.chance ldx #3
.lives  dec LIVES,x
        dex
        bpl .lives
        ldx LIVES
        stx SCORE+2
        beq .over
        lda SPEED
        sec
        sbc #2
        bcs .slower
        lda #0
.slower sta SPEED
        jmp again

.melee  dec POINTS,x
        dec SCORE,x
        dec LIVES,x
        bne .again
        ldy #0          ; how many are left?
        sty TEMP
        ldx #3
.stand  lda LIVES,x
        beq .fallen
        iny
        stx TEMP2
        cpx HUMANS
        bcs .fallen
        inc TEMP
.fallen dex
        bpl .stand
        cpy #1
        beq .last
        lda TEMP
        bne .again
        beq .over       ; nobody with a controller
.last   ldx TEMP2
        lda POINTS,x
        clc
        adc #LIFES
        sta POINTS,x
.over   lda #OVER
        sta STATE
        rts

; The next serve.
again   subroutine
        lda #SERVE
        sta STATE
        lda #0
        sta RETURNS
        lda #$FF
        sta HITTER
        ldx GAME
        lda starts,x
        cpx #RALLY
        bne .slow
        ldx SPEED       ; stays what it is, and is shown
        inx
        stx SCORE+3
        dex
        txa
.slow   sta SPEED
        lda #40
        sta TIMER
        ldx LOSER
        inx
        bne season
        lda #24         ; the first
        sta TIMER
        jmp center

; In commons the stock grows, best when it is half full, and time passes.
season  subroutine
        lda GAME
        cmp #COMMONS
        bne .none
        lda STOCK
        lsr
        lsr
        lsr
        tax
        lda growths,x
        clc
        adc GROWTH
        sta GROWTH
        bcc .grown
        lda STOCK
        cmp #STOCKMAX
        bcs .grown
        inc STOCK
.grown  lda FRAME
        and #$3F
        bne .none
        dec CLOCK
        bne .none
        lda #OVER
        sta STATE
.none   rts

; A sound of A frames, AUDC0 = X, AUDF0 = Y.
sound   subroutine
        sta NOISE
        sta AUDV0
        stx AUDC0
        sty AUDF0
        rts
