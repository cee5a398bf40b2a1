/** Something that an operator has to find out or to put right, in the shop of `npm run demo -- --broken`. */
export interface Task {
  readonly question: string
  /** At most three commands. `PLAN` stands for the name of the plan that the command before has printed. */
  readonly commands: readonly string[]
  /** What the answer to each command must show. */
  readonly shows: readonly RegExp[]
  /** A cause that is repaired before the command of that number, from 1. */
  readonly repaired?: { readonly cause: string; readonly before: number }
  /** Commands typed a second time change nothing: what the last one then shows. Default: as before. */
  readonly again?: RegExp
}

const NOTHING = /Nothing to do|no dead letter/

/** In this order: the last but one lists what the others have changed. */
export const TASKS: readonly Task[] = [
  {
    question: 'What is wrong now?',
    commands: ['status'],
    shows: [/unknown outcome {2}1 of mails[\s\S]*stalled {2}1 of parcels[\s\S]*long wait/],
  },
  {
    question: 'Why did order `order-21` fail, and where in the code?',
    commands: ['explain orders/order-21'],
    shows: [
      /exhausted[\s\S]*bank: 503[\s\S]*at charge .*bank\.ts:\d+[\s\S]*effects applied: reserve/,
    ],
  },
  {
    question: 'A customer gives you the request id `parcel-51-malta`. What became of it?',
    commands: ['explain parcel-51-malta'],
    shows: [/flow parcels\/parcel-51[\s\S]*stage ship: dead[\s\S]*carrier: no tariff for Malta/],
  },
  {
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
    question:
      'The price of order `order-12` is a text: it should be 750 cents. Correct it, so that it can run.',
    commands: [
      'dlq peek --id order-12 --body',
      'dlq edit orders-dead --id order-12 --set total=750',
      'dlq edit orders-dead --id order-12 --set total=750 --apply PLAN --why "price is a text"',
    ],
    shows: [/7\.50 EUR/, /"7\.50 EUR" → 750/, /Done/],
    again: NOTHING,
  },
  {
    question:
      'The bank is back (`npm run demo -- --fix bank`). Let its dead letters run, slowly at first.',
    repaired: { cause: 'bank', before: 1 },
    commands: [
      'dlq groups orders-dead --reason exhausted',
      'dlq redrive orders-dead --reason exhausted',
      'dlq redrive orders-dead --reason exhausted --apply PLAN --why "the bank is back"',
    ],
    shows: [/6 +orders +exhausted/, /6 dead letters would go/, /6 dead letters sent[\s\S]*Done/],
    again: NOTHING,
  },
  {
    question: 'A mail to an address that does not exist will never be sent. Take it off the queue.',
    commands: [
      'dlq discard mails-dead --reason terminal',
      'dlq discard mails-dead --reason terminal --apply PLAN --why "no such address"',
      'dlq groups mails-dead',
    ],
    shows: [
      /1 dead letter of 2 would be taken/,
      /To undo it: lineclear dlq restore/,
      /1 dead letter/,
    ],
  },
  {
    question: 'Mail `mail-31` has arrived, says the customer. Close it.',
    commands: [
      'decide mails/mail-31 done',
      'decide mails/mail-31 done --apply PLAN --why "the customer has it"',
    ],
    shows: [/call 'send': begun, outcome unknown/, /Done/],
    again: NOTHING,
  },
  {
    question:
      'The refund of `payment-72` is locked by a process on host 7, which burnt down before it refunded anything. Free it.',
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
    question:
      'The warehouse has sent -1200 cents for `return-62`, and the handler has died of it. Let the step wait again, for the right answer.',
    commands: [
      'explain returns/return-62 --request request-of-return-62',
      'decide returns/return-62 again --step inspected',
      'decide returns/return-62 again --step inspected --apply PLAN --why "wrong answer"',
    ],
    shows: [/a refund of -1200 cents/, /is given up, and the step waits again/, /Done/],
    again: NOTHING,
  },
  {
    question: 'The bank goes down again. Stop the functions that need it for an hour.',
    commands: [
      'pause --dependency bank --for 1h',
      'pause --dependency bank --for 1h --apply PLAN --why "bank: incident 4711"',
      'status --no-queues',
    ],
    shows: [/pause {2}orders [\s\S]*pause {2}invoices /, /paused until[\s\S]*Done/, /paused {2}/],
  },
  {
    question: "The carrier's tariff is corrected. Let parcel `parcel-51` go on.",
    commands: [
      'dlq peek --id parcel-51-malta',
      'dlq redrive parcels-dead --id parcel-51-malta',
      'dlq redrive parcels-dead --id parcel-51-malta --apply PLAN --why "tariff corrected"',
    ],
    shows: [/queue +parcels-dead/, /1 dead letter would go/, /1 dead letter sent[\s\S]*Done/],
    again: NOTHING,
  },
  {
    question: 'Parcel `parcel-52` was cancelled: undo what it has done.',
    commands: [
      'decide parcels/parcel-52 undo --request parcel-52-malta',
      'decide parcels/parcel-52 undo --request parcel-52-malta --apply PLAN --why cancelled',
    ],
    shows: [/its effects are undone, the last stage first: pack/, /Done/],
    again: NOTHING,
  },
  {
    question:
      'Who has changed what, and why? And what is wrong with the deployment in `examples/broken/template.yml`?',
    commands: ['audit', 'doctor --template TEMPLATE'],
    shows: [/ann +pause .*bank: incident 4711/, /Nothing limits its concurrency/],
  },
]
