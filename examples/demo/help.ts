export const HELP: string = `Sends payment callbacks to two Lambdas on a local cloud, breaks whatever can break on the way,
and compares the two ledgers.

  npm run demo -- [options]

  --messages N     how many callbacks to send, 1 to 100000 (default 200)
  --seed N         repeats a run: same callbacks, same faults (default: a new one, printed at the end)
  --faults LIST    all (default), none, or some of duplicate,kill,late,lose,shuffle,throttle
  --input FILE     sends the lines of FILE instead, each one the JSON body of a callback:
                   {"transactionId": "tx-1", "account": "alice", "amount": 1250}   (amount in cents)
                   What does not fit ends in the dead-letter queue. - reads standard input.
  --keep           leaves the local cloud up at the end, and shows how to look into it; Ctrl-C ends it
  --console        serves the console in your browser from the beginning: it shows what happens as it happens; then as --keep
  --broken         a shop in which one of each fault is left behind, to practise the operator's commands on:
                   src/tools/practice.md; Ctrl-C ends it, --seconds N ends it after that time
  --fix CAUSE      in another terminal: repairs a cause in that shop, such as bank
  --json           the last line is the result as one JSON object
  --verbose        prints what the functions log
  -h, --help       this text

--keep and --broken write to .lineclear in this folder, which is gone when they end; one of them is up at a time.
Exit code: 0 Lineclear booked everything once, 1 it did not, or the demo failed, 2 wrong usage.
`
