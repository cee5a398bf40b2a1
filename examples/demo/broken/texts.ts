export const INTRO = `
  Lineclear · a shop after a bad night

  Functions of an ordinary shop run on a local cloud (SQS, SNS and DynamoDB over their wire protocols), and fail:

`

export const NOW = `
  It is three hours later. What the night has left:

    orders     poison payloads and a bank outage: two groups of dead letters
    invoices   the bank is still down: attempts are being spent now
    mails      one that may have been sent (unknown outcome), and one whose id and text are hostile
    labels     a killed function whose message is gone: it stands in the table only
    parcels    two dead runs, one stalled, and an older request that was dropped as stale
    returns    no answer, a wrong answer, a lost timeout
    payments   Idempotency-Key checkout-71: unknown outcome; refund payment-72: a lock whose owner is dead
    baskets, bills, offers   a bad deployment, version 42: 300 dead letters in three queues
    scans      the table of the shelves is throttled
    newsletters   four messages, and their queue has no consumer
    uploads    one tenant sends more than the function takes
    reminders  a claim in the future, of a function whose clock was wrong
    gifts      a dead letter whose record was deleted by hand
    template   examples/broken/template.yml: mistakes for lineclear doctor

  The printer and the code for the carrier are repaired, and all functions run. In another terminal, in this folder:

    alias lineclear='npm run -s lineclear -- --local'
    lineclear status

  The bank comes back with  npm run demo -- --fix bank  (as do deployment, throughput, mapping, tenant)
  The tasks, with their commands: src/tools/practice.md
  It ends with Ctrl-C.

`
