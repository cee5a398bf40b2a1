/** A second demo in a folder. */
export const TAKEN = `Nothing was started: a demo is up in this folder already, and commands with --local reach only one.
Use that one, or end it first: Ctrl-C in its terminal.
`

/** `--fix` without a demo that takes it. */
export const NO_SHOP = `Nothing was repaired: no broken shop is up in this folder, or it is still starting.
Start one with npm run demo -- --broken, and leave it running.
`
