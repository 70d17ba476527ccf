/* The list of all games. */
#include <string.h>

#include "game.h"

extern const ale_game game_adventure;
extern const ale_game game_air_raid;
extern const ale_game game_alien;
extern const ale_game game_amidar;
extern const ale_game game_assault;
extern const ale_game game_asterix;
extern const ale_game game_asteroids;
extern const ale_game game_atlantis;
extern const ale_game game_atlantis2;
extern const ale_game game_backgammon;
extern const ale_game game_bank_heist;
extern const ale_game game_basic_math;
extern const ale_game game_battle_zone;
extern const ale_game game_beam_rider;
extern const ale_game game_berzerk;
extern const ale_game game_blackjack;
extern const ale_game game_bowling;
extern const ale_game game_boxing;
extern const ale_game game_breakout;
extern const ale_game game_carnival;
extern const ale_game game_casino;
extern const ale_game game_centipede;
extern const ale_game game_chopper_command;
extern const ale_game game_combat;
extern const ale_game game_crazy_climber;
extern const ale_game game_crossbow;
extern const ale_game game_darkchambers;
extern const ale_game game_defender;
extern const ale_game game_demon_attack;
extern const ale_game game_donkey_kong;
extern const ale_game game_double_dunk;
extern const ale_game game_earthworld;
extern const ale_game game_elevator_action;
extern const ale_game game_enduro;
extern const ale_game game_entombed;
extern const ale_game game_et;
extern const ale_game game_fishing_derby;
extern const ale_game game_flag_capture;
extern const ale_game game_freeway;
extern const ale_game game_frogger;
extern const ale_game game_frostbite;
extern const ale_game game_galaxian;
extern const ale_game game_gopher;
extern const ale_game game_gravitar;
extern const ale_game game_hangman;
extern const ale_game game_haunted_house;
extern const ale_game game_hero;
extern const ale_game game_human_cannonball;
extern const ale_game game_ice_hockey;
extern const ale_game game_jamesbond;
extern const ale_game game_journey_escape;
extern const ale_game game_joust;
extern const ale_game game_kaboom;
extern const ale_game game_kangaroo;
extern const ale_game game_keystone_kapers;
extern const ale_game game_king_kong;
extern const ale_game game_klax;
extern const ale_game game_koolaid;
extern const ale_game game_krull;
extern const ale_game game_kung_fu_master;
extern const ale_game game_laser_gates;
extern const ale_game game_lost_luggage;
extern const ale_game game_mario_bros;
extern const ale_game game_maze_craze;
extern const ale_game game_miniature_golf;
extern const ale_game game_montezuma_revenge;
extern const ale_game game_mr_do;
extern const ale_game game_ms_pacman;
extern const ale_game game_name_this_game;
extern const ale_game game_othello;
extern const ale_game game_pacman;
extern const ale_game game_phoenix;
extern const ale_game game_pitfall;
extern const ale_game game_pitfall2;
extern const ale_game game_pong;
extern const ale_game game_pooyan;
extern const ale_game game_private_eye;
extern const ale_game game_qbert;
extern const ale_game game_quartet;
extern const ale_game game_riverraid;
extern const ale_game game_road_runner;
extern const ale_game game_robotank;
extern const ale_game game_seaquest;
extern const ale_game game_sir_lancelot;
extern const ale_game game_skiing;
extern const ale_game game_solaris;
extern const ale_game game_space_invaders;
extern const ale_game game_space_war;
extern const ale_game game_star_gunner;
extern const ale_game game_superman;
extern const ale_game game_surround;
extern const ale_game game_tennis;
extern const ale_game game_tetris;
extern const ale_game game_tic_tac_toe_3d;
extern const ale_game game_time_pilot;
extern const ale_game game_trondead;
extern const ale_game game_turmoil;
extern const ale_game game_tutankham;
extern const ale_game game_up_n_down;
extern const ale_game game_venture;
extern const ale_game game_video_checkers;
extern const ale_game game_video_chess;
extern const ale_game game_video_cube;
extern const ale_game game_video_pinball;
extern const ale_game game_warlords;
extern const ale_game game_wizard_of_wor;
extern const ale_game game_word_zapper;
extern const ale_game game_yars_revenge;
extern const ale_game game_zaxxon;

const ale_game *const ale_games[] = {
    &game_adventure,
    &game_air_raid,
    &game_alien,
    &game_amidar,
    &game_assault,
    &game_asterix,
    &game_asteroids,
    &game_atlantis,
    &game_atlantis2,
    &game_backgammon,
    &game_bank_heist,
    &game_basic_math,
    &game_battle_zone,
    &game_beam_rider,
    &game_berzerk,
    &game_blackjack,
    &game_bowling,
    &game_boxing,
    &game_breakout,
    &game_carnival,
    &game_casino,
    &game_centipede,
    &game_chopper_command,
    &game_combat,
    &game_crazy_climber,
    &game_crossbow,
    &game_darkchambers,
    &game_defender,
    &game_demon_attack,
    &game_donkey_kong,
    &game_double_dunk,
    &game_earthworld,
    &game_elevator_action,
    &game_enduro,
    &game_entombed,
    &game_et,
    &game_fishing_derby,
    &game_flag_capture,
    &game_freeway,
    &game_frogger,
    &game_frostbite,
    &game_galaxian,
    &game_gopher,
    &game_gravitar,
    &game_hangman,
    &game_haunted_house,
    &game_hero,
    &game_human_cannonball,
    &game_ice_hockey,
    &game_jamesbond,
    &game_journey_escape,
    &game_joust,
    &game_kaboom,
    &game_kangaroo,
    &game_keystone_kapers,
    &game_king_kong,
    &game_klax,
    &game_koolaid,
    &game_krull,
    &game_kung_fu_master,
    &game_laser_gates,
    &game_lost_luggage,
    &game_mario_bros,
    &game_maze_craze,
    &game_miniature_golf,
    &game_montezuma_revenge,
    &game_mr_do,
    &game_ms_pacman,
    &game_name_this_game,
    &game_othello,
    &game_pacman,
    &game_phoenix,
    &game_pitfall,
    &game_pitfall2,
    &game_pong,
    &game_pooyan,
    &game_private_eye,
    &game_qbert,
    &game_quartet,
    &game_riverraid,
    &game_road_runner,
    &game_robotank,
    &game_seaquest,
    &game_sir_lancelot,
    &game_skiing,
    &game_solaris,
    &game_space_invaders,
    &game_space_war,
    &game_star_gunner,
    &game_superman,
    &game_surround,
    &game_tennis,
    &game_tetris,
    &game_tic_tac_toe_3d,
    &game_time_pilot,
    &game_trondead,
    &game_turmoil,
    &game_tutankham,
    &game_up_n_down,
    &game_venture,
    &game_video_checkers,
    &game_video_chess,
    &game_video_cube,
    &game_video_pinball,
    &game_warlords,
    &game_wizard_of_wor,
    &game_word_zapper,
    &game_yars_revenge,
    &game_zaxxon,
};
const int ale_games_count = (int)(sizeof ale_games / sizeof *ale_games);

const ale_game *game_by_name(const char *name) {
    for (int i = 0; i < ale_games_count; i++)
        if (strcmp(ale_games[i]->name, name) == 0) return ale_games[i];
    return NULL;
}

const ale_game *game_by_md5(const char *md5) {
    for (int i = 0; i < ale_games_count; i++)
        if (strcmp(ale_games[i]->md5, md5) == 0) return ale_games[i];
    return NULL;
}
