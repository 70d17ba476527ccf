; Quartet: tables.

; GAME and HUMANS of each mode, and its number.
games   dc.b $01,$02, $11,$12,$13,$14, $21,$22,$23,$24, $31,$32,$33,$34, $41,$42,$43,$44
numbers dc.b $01,$02, $03,$04,$05,$06, $07,$08,$09,$10, $11,$12,$13,$14, $15,$16,$17,$18

; By GAME: numbers at the start, of players 0 and 1 and of the others; lives, 0: one; speed at a serve, and at most.
scores  dc.b 0, LIFES, 0, 0, 0
others  dc.b BLANK, LIFES, BLANK, CHANCES, 0
lifes   dc.b 0, LIFES, 0, CHANCES, 0
starts  dc.b 1, 1, 1, 0, 1
limits  dc.b TOPSPEED, TOPSPEED, TOPSPEED, FASTEST, TOPSPEED

; By player.
along   dc.b 1, 1, 0, 0         ; the axis along which it moves
buttons dc.b $80, $40, $08, $04 ; in SWCHA
tints   dc.b $46, $98, $C8, $1C ; red, blue, green, yellow
        dc.b $46, $98, $38, $AA ; in teams: red, blue, orange, light blue
sticked dc.b $80, $40           ; in STICKS

fives   dc.b 0, 5, 10, 15       ; where its number is in DIGITS

planes  dc.b $0F, $29           ; the near and the far side: what a place and its mirror image add up to
paces   dc.b 1, 2, 4, 4         ; of the cartridge, half units a frame, by difficulty

; By distance from the paddle's middle: how far the ball is turned away.
zones   dc.b 0,0,0,0, 1,1,1,1, 2,2,2, 3,3,3

; What the stock grows a frame, in 1/256, by eighths of STOCKMAX + 1.
growths dc.b 1, 4, 8, 10, 10, 8, 4, 1

; The bar of the stock by fours, as PF1 and PF2 want it.
bars    dc.b $00,$80,$C0,$E0,$F0,$F8,$FC,$FE, $FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF
bars2   dc.b $00,$00,$00,$00,$00,$00,$00,$00, $00,$01,$03,$07,$0F,$1F,$3F,$7F,$FF

font    dc.b $EE,$AA,$AA,$AA,$EE
        dc.b $44,$CC,$44,$44,$EE
        dc.b $EE,$22,$EE,$88,$EE
        dc.b $EE,$22,$66,$22,$EE
        dc.b $AA,$AA,$EE,$22,$22
        dc.b $EE,$88,$EE,$22,$EE
        dc.b $EE,$88,$EE,$AA,$EE
        dc.b $EE,$22,$22,$44,$44
        dc.b $EE,$AA,$EE,$AA,$EE
        dc.b $EE,$AA,$EE,$22,$EE
        dc.b 0,0,0,0,0

; Velocities at speeds 1.25, 1.5, ... 3.5 units a frame (rows), 8, 22, 38 and 54 degrees off the straight (columns):
; towards the other side (n) and along (t), fractions and units.
nlo     dc.b $3D, $29, $FC, $BC
        dc.b $7C, $64, $2F, $E2
        dc.b $BC, $9F, $61, $07
        dc.b $FB, $DB, $93, $2D
        dc.b $3A, $16, $C6, $53
        dc.b $7A, $51, $F8, $78
        dc.b $B9, $8D, $2B, $9E
        dc.b $F9, $C8, $5D, $C3
        dc.b $38, $03, $90, $E9
        dc.b $77, $3F, $C2, $0F
nhi     dc.b $01, $01, $00, $00
        dc.b $01, $01, $01, $00
        dc.b $01, $01, $01, $01
        dc.b $01, $01, $01, $01
        dc.b $02, $02, $01, $01
        dc.b $02, $02, $01, $01
        dc.b $02, $02, $02, $01
        dc.b $02, $02, $02, $01
        dc.b $03, $03, $02, $01
        dc.b $03, $03, $02, $02
tlo     dc.b $2D, $78, $C5, $03
        dc.b $35, $90, $EC, $37
        dc.b $3E, $A8, $14, $6A
        dc.b $47, $C0, $3B, $9E
        dc.b $50, $D8, $63, $D2
        dc.b $59, $F0, $8A, $06
        dc.b $62, $08, $B1, $3A
        dc.b $6B, $20, $D9, $6D
        dc.b $74, $38, $00, $A1
        dc.b $7D, $50, $28, $D5
thi     dc.b $00, $00, $00, $01
        dc.b $00, $00, $00, $01
        dc.b $00, $00, $01, $01
        dc.b $00, $00, $01, $01
        dc.b $00, $00, $01, $01
        dc.b $00, $00, $01, $02
        dc.b $00, $01, $01, $02
        dc.b $00, $01, $01, $02
        dc.b $00, $01, $02, $02
        dc.b $00, $01, $02, $02

; What an object shows on a line, from the line on which it begins: a paddle, the ball, a wall.
empty   ds ROWS, 0
stripe  ds LENGTH, 2
        ds ROWS, 0
dot     ds BALLSIZE, 2
        ds ROWS, 0
wall    ds 8, 0
        ds ROWS-16, 2
        ds 8, 0
