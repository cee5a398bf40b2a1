/** Something that an operator has to find out or to put right, in the shop of `npm run demo -- --broken`. */
export interface Task {
  /** In a few words. */
  readonly name: string
  readonly question: string
  /**
   * At most three, each of which may be followed by itself with `--apply PLAN`. `PLAN` stands for the name of the plan that the
   * command before has printed.
   */
  readonly commands: readonly string[]
  /** What the answer to each command must show. */
  readonly shows: readonly RegExp[]
  /** A cause that is repaired before the command of that number, from 1. */
  readonly repaired?: { readonly cause: string; readonly before: number }
  /** Commands typed a second time change nothing: what the last one then shows. Default: as before. */
  readonly again?: RegExp
  /** The functions have to catch up: the last command is typed until it shows what it must. */
  readonly settles?: true
  /** Its answers teach something, and are quoted. */
  readonly quoted?: true
}

const NOTHING = /Nothing to do|no dead letter/

/** In this order: the last one lists what the others have changed. */
export const TASKS: readonly Task[] = [
  {
    name: 'what fails, grouped',
    question: 'What is wrong now?',
    commands: ['status'],
    shows: [/unknown outcome {2}1 of mails[\s\S]*stalled {2}1 of parcels[\s\S]*long wait/],
  },
  {
    name: 'one tenant floods',
    question: 'The backlog of `uploads` grows. Which tenant sends them? Ask it to stop.',
    repaired: { cause: 'tenant', before: 3 },
    commands: [
      'status --queues uploads',
      'dlq groups uploads --per tenant --force',
      'status --queues uploads',
    ],
    shows: [
      /backlog {2}\d+ of uploads .* more than/,
      /tenant +COUNT\nacme +\d{3}/,
      /^(?![\s\S]*backlog)/,
    ],
    settles: true,
  },
  {
    name: 'where is it stuck',
    question: 'Why did order `order-21` fail, and where in the code?',
    commands: ['explain orders/order-21'],
    shows: [
      /exhausted[\s\S]*bank: 503[\s\S]*at charge .*bank\.ts:\d+[\s\S]*effects applied: reserve/,
    ],
    quoted: true,
  },
  {
    name: 'trace an id',
    question: 'A customer gives you the request id `parcel-51-malta`. What became of it?',
    commands: ['explain parcel-51-malta'],
    shows: [/flow parcels\/parcel-51[\s\S]*stage ship: dead[\s\S]*carrier: no tariff for Malta/],
  },
  {
    name: 'read one message',
    question: 'What does order `order-12` say?',
    commands: ['dlq peek --id order-12 --body'],
    shows: [/7\.50 EUR/],
  },
  {
    name: 'fix a payload and redrive',
    question: 'The price of `order-12` is a text: it should be 750 cents.',
    repaired: { cause: 'bank', before: 3 },
    commands: [
      'dlq edit orders-dead --id order-12 --set total=750',
      'dlq edit orders-dead --id order-12 --set total=750 --apply PLAN --why "price is a text"',
      'redrive order-12',
      'redrive order-12 --apply PLAN --why "price corrected"',
    ],
    shows: [/"7\.50 EUR" → 750/, /Done/, /1 dead letter would go/, /1 dead letter sent[\s\S]*Done/],
  },
  {
    name: 'one bad dependency',
    question: 'What has failed because of the bank, and what is tried again?',
    commands: ['dlq groups --match bank', 'ls --count --consumer invoices'],
    shows: [/6 +orders +exhausted/, /invoices +inProgress|Nothing is open/],
  },
  {
    name: 'pause and resume',
    question:
      'The bank goes down again. Stop the functions that need it for an hour, and start them.',
    commands: [
      'pause --dependency bank --for 1h',
      'pause --dependency bank --for 1h --apply PLAN --why "bank: incident 4711"',
      'resume --dependency bank',
      'resume --dependency bank --apply PLAN --why "the bank is back"',
    ],
    shows: [
      /orders [\s\S]*invoices /,
      /paused until[\s\S]*Done/,
      /paused by ann/,
      /resumed[\s\S]*Done/,
    ],
  },
  {
    name: 'retry many of a kind',
    question:
      'The bank is back (`npm run demo -- --fix bank`). Let its dead letters run, slowly at first.',
    commands: [
      'dlq redrive orders-dead --reason exhausted',
      'dlq redrive orders-dead --reason exhausted --apply PLAN --why "the bank is back"',
    ],
    shows: [/6 dead letters would go/, /6 dead letters sent[\s\S]*Done/],
    again: NOTHING,
  },
  {
    name: 'prove: not twice',
    question: 'Was order `order-21` reserved and charged once?',
    commands: ['explain orders/order-21'],
    shows: [
      /done[\s\S]*effects applied: reserve[\s\S]*call 'charge': done[\s\S]*dead-lettered: once/,
    ],
  },
  {
    name: 'retry one',
    question: "The carrier's tariff is corrected. Let parcel `parcel-51` go on.",
    commands: [
      'redrive parcel-51-malta',
      'redrive parcel-51-malta --apply PLAN --why "tariff corrected"',
    ],
    shows: [/1 dead letter would go/, /1 dead letter sent[\s\S]*Done/],
    again: NOTHING,
  },
  {
    name: 'send elsewhere',
    question: 'Order `order-11` is done by hand, in the warehouse: send it to that queue.',
    commands: [
      'dlq redrive orders-dead --id order-11 --to warehouse --force --no-ramp',
      'dlq redrive orders-dead --id order-11 --to warehouse --force --no-ramp --apply PLAN --why "by hand"',
    ],
    shows: [/1 dead letter would go to \S+\/warehouse/, /1 dead letter sent[\s\S]*Done/],
    again: NOTHING,
  },
  {
    name: 'discard and undo',
    question:
      'A mail to an address that does not exist is taken off its queue. Then it is wanted back.',
    commands: [
      'dlq discard mails-dead --reason terminal',
      'dlq discard mails-dead --reason terminal --apply PLAN --why "no such address"',
      'dlq restore PLAN',
      'dlq restore PLAN --apply PLAN --why "it was an address"',
    ],
    shows: [
      /1 dead letter of 2 would be taken/,
      /To undo it: lineclear --local dlq restore/,
      /1 dead letter/,
      /Done/,
    ],
  },
  {
    name: 'answer a step',
    question: 'The warehouse calls: return `return-61` is worth 500 cents. Answer for it.',
    commands: [
      'explain returns/return-61',
      `decide returns/return-61 answer --step inspected --answer '{"inspectionId":"inspection-of-return-61","cents":500}'`,
      `decide returns/return-61 answer --step inspected --answer '{"inspectionId":"inspection-of-return-61","cents":500}' --apply PLAN --why "warehouse, by telephone"`,
    ],
    shows: [/inspection-of-return-61/, /the answer .*is sent/, /the step has taken the answer/],
    again: /Nothing to do|Not possible: its run is over|is over/,
  },
  {
    name: 'free a lock',
    question:
      'The refund of `payment-72` is locked by a process on host 7, which burnt down before it refunded anything.',
    commands: [
      'explain refunds/payment-72',
      'decide refunds/payment-72 free --not-done section --force',
      'decide refunds/payment-72 free --not-done section --force --apply PLAN --why "host 7 burnt down"',
    ],
    shows: [
      /by nightly refunds on host 7[\s\S]*decide refunds\/payment-72 free --not-done section --force/,
      /becomes free/,
      /Done/,
    ],
    again: NOTHING,
  },
  {
    name: 'a bad deployment',
    question:
      'Version 42 of three functions is rolled back. Let what it has left in three queues run.',
    repaired: { cause: 'deployment', before: 1 },
    commands: [
      'dlq redrive --all --group 088aad5f',
      'dlq redrive --all --group 088aad5f --apply PLAN --why "version 42 is rolled back"',
    ],
    shows: [
      /100 dead letters would go to \S+\/baskets[\s\S]*\/bills[\s\S]*\/offers/,
      /100 dead letters sent[\s\S]*100 of the first ones sent have completed\nDone/,
    ],
    again: NOTHING,
  },
  {
    name: 'a throttled table',
    question: 'What do the scans wait for? The table gets more throughput.',
    repaired: { cause: 'throughput', before: 2 },
    commands: ['ls --consumer scans', 'ls --count --consumer scans'],
    shows: [/scans\/scan-6 .*DynamoDB throttles a table/, /Nothing is open/],
    settles: true,
  },
  {
    name: 'messages without a consumer',
    question:
      'Newsletters wait, and no function reads them. The next deployment enables the mapping.',
    repaired: { cause: 'mapping', before: 2 },
    commands: ['status --queues newsletters', 'status --queues newsletters'],
    shows: [/no consumer {2}4 of newsletters .*is Disabled/, /^(?![\s\S]*newsletters)/],
    settles: true,
  },
  {
    name: 'a wrong clock',
    question:
      'Reminder `reminder-81` was claimed in the future, and its attempt has ended long ago.',
    commands: [
      'explain reminders/reminder-81',
      'decide reminders/reminder-81 free --force',
      'decide reminders/reminder-81 free --force --apply PLAN --why "the clock was wrong"',
    ],
    shows: [
      /claimed \S+ \(in 1 hour[\s\S]*clock of the one that has claimed it is ahead[\s\S]*decide /,
      /becomes free/,
      /Done/,
    ],
    again: NOTHING,
  },
  {
    name: 'a record deleted by hand',
    question:
      'The record of `gift-91` was deleted, and nothing was printed: run it as a new message.',
    commands: [
      'dlq redrive gifts-dead --id gift-91 --force',
      'dlq redrive gifts-dead --id gift-91 --force --apply PLAN --why "nothing was printed"',
    ],
    shows: [/1 of them are sent as new messages/, /1 of the first ones sent have completed\nDone/],
    again: NOTHING,
  },
  {
    name: 'hand over',
    question: 'Your shift ends. What does the next one have to know?',
    commands: ['status --handover --note "the bank is called back at noon"'],
    shows: [/## Open[\s\S]*## Done by operators[\s\S]*the bank is called back at noon/],
  },
  {
    name: 'an Idempotency-Key',
    question:
      'A caller gets HTTP 500 for the Idempotency-Key `checkout-71`. Why? The bank says that it was not charged: let him try again.',
    commands: [
      'explain payments/checkout-71',
      'decide payments/checkout-71 free --not-done section',
      'decide payments/checkout-71 free --not-done section --apply PLAN --why "bank: not charged"',
    ],
    shows: [/bank: connection reset[\s\S]*refused \(HTTP 500\)/, /becomes free/, /Done/],
    again: NOTHING,
  },
  {
    name: 'an unknown outcome',
    question: 'Mail `mail-31` has arrived, says the customer. Close it.',
    commands: [
      'decide mails/mail-31 done',
      'decide mails/mail-31 done --apply PLAN --why "the customer has it"',
    ],
    shows: [/call 'send': begun, outcome unknown/, /Done/],
    again: NOTHING,
  },
  {
    name: 'a wrong answer',
    question:
      'The warehouse has sent -1200 cents for `return-62`, and the handler has died of it. Let the step wait for the right answer.',
    commands: [
      'explain returns/return-62 --request request-of-return-62',
      'decide returns/return-62 again --step inspected',
      'decide returns/return-62 again --step inspected --apply PLAN --why "wrong answer"',
    ],
    shows: [/a refund of -1200 cents/, /is given up, and the step waits again/, /Done/],
    again: NOTHING,
  },
  {
    name: 'drop a dead run',
    question: 'Parcel `parcel-52` was cancelled, and its box is back. It will not be redriven.',
    commands: [
      'decide parcels/parcel-52 drop --request parcel-52-malta',
      'decide parcels/parcel-52 drop --request parcel-52-malta --apply PLAN --why cancelled',
    ],
    shows: [/is no longer listed, and never runs again/, /Done/],
    again: NOTHING,
  },
  {
    name: 'who, and what is deployed',
    question:
      'Who has changed what, and why? And what is wrong with the deployment in `examples/broken/template.yml`?',
    commands: ['explain --history', 'doctor --template TEMPLATE'],
    shows: [/ann +pause .*bank: incident 4711/, /Nothing limits its concurrency/],
  },
]
