/** Names of another site that lead to this machine, as a DNS that was rebound answers. */
export const EVIL = 'evil.example'

/** Chromium's resolver: nothing else is found, so that no page reaches the network. */
export const HOSTS = `MAP ${EVIL} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1`
