"""The invented catalogue that stands for TMDB, TVMaze and MusicBrainz."""
