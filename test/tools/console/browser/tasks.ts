import type { Cause } from '../../../../examples/broken/shop.ts'

/** Something that a person does on the pages of the broken shop, without a word about mouse or keyboard. */
type Act =
  /** A page, by its name in the navigation. */
  | { readonly page: RegExp }
  | { readonly search: string }
  | { readonly choose: RegExp }
  | { readonly type: readonly [label: RegExp, text: string] }
  | { readonly tick: RegExp }
  | { readonly see: RegExp }
  /** Elsewhere a cause is repaired. */
  | { readonly fix: Cause }

/** `agrees`: it belongs to the step that has opened the form or the plan, as `--apply PLAN` does to its command. */
export type Step = Act & { readonly agrees?: true }

/** At most so many. */
export const STEPS = 3

/** How many steps a person takes. */
export function stepsOf(steps: readonly Step[]): number {
  const taken = steps.filter((step) => !('see' in step || 'fix' in step || 'type' in step))
  return taken.filter(({ agrees }) => agrees !== true).length
}

/** Asks for the plan that a form describes. */
function plan(...fields: readonly (readonly [label: RegExp, text: string])[]): readonly Step[] {
  return [...fields.map((type) => ({ type })), { choose: /^Show the plan/, agrees: true }]
}

/** Agrees to the plan that is shown. */
function apply(why: string, sees = /Done, and recorded/): readonly Step[] {
  return [{ type: [/^Why/, why] }, { choose: /^Apply/, agrees: true }, { see: sees }]
}

/** On the page of its plan. */
const ALL_DONE = /(\d+) of \1[\s\S]*Nothing is left/

/** Of a plan that holds something back. */
const FORCE: Step = { tick: /Also send those that stay|Take its lease away/, agrees: true }
const CLOSE: Step = { choose: /^Close$/, agrees: true }

/** Each begins on the overview. By the names of `test/documents/broken/tasks.ts`. */
export const TASKS: Readonly<Record<string, readonly Step[]>> = {
  'what fails, grouped': [
    { see: /unknown outcome[\s\S]*dead letters[\s\S]*stalled[\s\S]*long wait/ },
  ],
  'one tenant floods': [
    { choose: /^Whose they are/ },
    { type: [/^Message attribute/, 'tenant'] },
    { choose: /^Refresh/ },
    { see: /\d{3}\s+acme/ },
    { fix: 'tenant' },
    { page: /Overview/ },
    { see: /^(?![\s\S]*backlog)/ },
  ],
  'where is it stuck': [
    { search: 'order-21' },
    { see: /bank: 503[\s\S]*effects applied: reserve/ },
    { choose: /^Stack/ },
    { see: /bank\.ts:\d+/ },
  ],
  'trace an id': [
    { search: 'parcel-51-malta' },
    { see: /parcels\/parcel-51[\s\S]*no tariff for Malta/ },
    { choose: /^Full$/ },
    { see: /pack[\s\S]*ship/ },
  ],
  'read one message': [
    { search: 'order-12' },
    { choose: /^Show the payload/ },
    { see: /7\.50 EUR/ },
  ],
  'one bad dependency': [
    { see: /dead letters\s+6[\s\S]*bank: 503 Service Unavailable/ },
    { page: /Open items/ },
    { choose: /^In progress/ },
    { see: /invoices[\s\S]*bank: 503/ },
  ],
  'pause and resume': [
    { page: /Pauses/ },
    ...plan([/^Name$/, 'bank']),
    { see: /invoices[\s\S]*orders|orders[\s\S]*invoices/ },
    ...apply('bank: incident 4711'),
    CLOSE,
    { see: /2 paused/ },
    { choose: /^Resume all/ },
    ...apply('the bank is back'),
    CLOSE,
    { see: /Nothing is paused/ },
  ],
  'retry many of a kind': [
    { fix: 'bank' },
    { choose: /^Send 6 dead letters to orders/ },
    { see: /6 exhausted of orders/ },
    ...apply('the bank is back', ALL_DONE),
  ],
  'prove: not twice': [{ search: 'order-21' }, { see: /done[\s\S]*reserve[\s\S]*charge/ }],
  'fix a payload and redrive': [
    { search: 'order-12' },
    { choose: /^Edit the payload/ },
    ...plan([/^Payload/, '{"orderId":"order-12","sku":"apple","total":750}']),
    { see: /7\.50 EUR[\s\S]*750/ },
    ...apply('price is a text'),
    CLOSE,
    { choose: /^Send 1 dead letter to orders/ },
    ...apply('price corrected', ALL_DONE),
  ],
  'retry one': [
    { search: 'parcel-51-malta' },
    { choose: /^Send its dead letter back/ },
    ...apply('tariff corrected', ALL_DONE),
  ],
  'send elsewhere': [
    { search: 'order-11' },
    { choose: /^redrive with options/ },
    ...plan([/^Send them there/, 'warehouse']),
    { see: /1 stay: they came from another queue/ },
    FORCE,
    { see: /1 dead letter would go to \S+\/warehouse/ },
    ...apply('by hand', ALL_DONE),
  ],
  'discard and undo': [
    { choose: /dlq peek mails-dead/ },
    { choose: /^Discard 1 dead letter/ },
    ...plan(),
    { see: /1 dead letter of 2 would be taken/ },
    ...apply('no such address', ALL_DONE),
    { choose: /^Restore/ },
    ...apply('it was an address', ALL_DONE),
  ],
  'answer a step': [
    { search: 'returns/return-61' },
    { choose: /decide returns\/return-61 answer --step inspected/ },
    ...plan([/Its answer, as JSON/, '{"inspectionId":"inspection-of-return-61","cents":500}']),
    ...apply('warehouse, by telephone', /the step has taken the answer/),
  ],
  'free a lock': [
    { search: 'payment-72' },
    { see: /nightly refunds on host 7/ },
    { choose: /decide refunds\/payment-72 free/ },
    { see: /becomes free/ },
    FORCE,
    ...apply('host 7 burnt down'),
  ],
  'a bad deployment': [
    { see: /300\+?[\s\S]*baskets-dead, bills-dead, offers-dead[\s\S]*version 42/ },
    { fix: 'deployment' },
    { choose: /dlq redrive --all --group 088aad5f/ },
    { see: /100 dead letters would go to \S+\/baskets[\s\S]*\/bills[\s\S]*\/offers/ },
    ...apply('version 42 is rolled back', ALL_DONE),
  ],
  'a throttled table': [
    { see: /DynamoDB throttles a table/ },
    { choose: /^scans$/ },
    { see: /scans\/scan-6/ },
    { fix: 'throughput' },
    { see: /Nothing matches/ },
  ],
  'messages without a consumer': [
    { see: /no consumer\s+4\s+newsletters[\s\S]*is Disabled/ },
    { fix: 'mapping' },
    { see: /^(?![\s\S]*no consumer)/ },
  ],
  'a wrong clock': [
    { choose: /explain reminders\/reminder-81/ },
    { see: /the clock of the one that has claimed it is ahead/ },
    { choose: /decide reminders\/reminder-81 free/ },
    { see: /becomes free/ },
    FORCE,
    ...apply('the clock was wrong'),
  ],
  'a record deleted by hand': [
    { choose: /dlq peek gifts-dead/ },
    { choose: /^Send 1 dead letter to gifts/ },
    { see: /1 stay: an attempt has written them/ },
    FORCE,
    { see: /1 of them are sent as new messages/ },
    ...apply('nothing was printed', ALL_DONE),
  ],
  'hand over': [
    { page: /History/ },
    { choose: /^Hand over/ },
    { type: [/^Note/, 'the bank is called back at noon'] },
    { see: /## Open[\s\S]*## Done by operators[\s\S]*the bank is called back at noon/ },
    { choose: /^Copy as Markdown/ },
    { see: /Handover copied/ },
  ],
  'an Idempotency-Key': [
    { search: 'payments/checkout-71' },
    { see: /bank: connection reset/ },
    { choose: /decide payments\/\S+ free/ },
    { see: /becomes free/ },
    ...apply('bank: not charged'),
  ],
  'an unknown outcome': [
    { choose: /explain mails\/mail-31/ },
    { see: /Was the call send made\?/ },
    { choose: /decide mails\/mail-31 done/ },
    ...apply('the customer has it'),
    CLOSE,
    { see: /remembered until/ },
  ],
  'a wrong answer': [
    { search: 'request-of-return-62' },
    { see: /a refund of -1200 cents/ },
    { choose: /decide returns\/return-62 again --step inspected/ },
    ...apply('wrong answer'),
  ],
  'drop a dead run': [
    { search: 'parcel-52-malta' },
    { choose: /decide parcels\/parcel-52 drop --request parcel-52-malta/ },
    { see: /no longer listed/ },
    ...apply('cancelled'),
  ],
  'who, and what is deployed': [
    { page: /History/ },
    { see: /ann[\s\S]*pause[\s\S]*bank: incident 4711/ },
    { page: /Overview/ },
    { choose: /Doctor/ },
    { see: /Nothing limits its concurrency/ },
  ],
}
