import type { Cause } from '../../../../examples/broken/shop.ts'

/** Something that a person does on the pages of the broken shop, without a word about mouse or keyboard. */
export type Step =
  /** A page, by its name in the navigation. */
  | { readonly page: RegExp }
  | { readonly search: string }
  /** `unless`: what is shown in its stead, depending on how long the server takes. */
  | { readonly choose: RegExp; readonly unless?: RegExp }
  | { readonly type: readonly [label: RegExp, text: string] }
  | { readonly tick: RegExp }
  | { readonly see: RegExp }
  /** Elsewhere a cause is repaired. */
  | { readonly fix: Cause }

/** Agrees to the plan that is shown. */
function apply(why: string, sees = /Done, and recorded/): readonly Step[] {
  return [{ type: [/^Why/, why] }, { choose: /^Apply/ }, { see: sees }]
}

const CLOSE: Step = { choose: /^Close$/ }

const REDRIVE: readonly Step[] = [
  { fix: 'bank' },
  { page: /Overview/ },
  { see: /dead letters/ },
  { page: /Dead letters/ },
  { choose: /bank: <n> Service Unavailable/ },
  { choose: /order-2[1-6]/ },
  { see: /exhausted[\s\S]*bank: 503/ },
  { choose: /group [0-9a-f]{8}$/ },
  { choose: /^Send 6 dead letters to orders/ },
  { see: /6/ },
  { type: [/^Why/, 'the bank is back'] },
  { choose: /^Apply/ },
  // It runs on, and its page follows it.
  { see: /6 of 6[\s\S]*Nothing is left/ },
]

const RESOLVE: readonly Step[] = [
  { page: /Open items/ },
  { choose: /^Unknown outcomes/ },
  { choose: /mails\/mail-31/ },
  { see: /Was the call send made\?/ },
  { choose: /^It was made, and so/ },
  ...apply('the customer has it'),
  CLOSE,
  { see: /Duplicates are recognised/ },
]

const COMPLETE: readonly Step[] = [
  { page: /Open items/ },
  { choose: /^Awaited steps/ },
  { choose: /returns\/return-61/ },
  { choose: /decide returns\/return-61 answer --step inspected/ },
  { type: [/Its answer, as JSON/, '{"inspectionId":"inspection-of-return-61","cents":500}'] },
  { choose: /^Show the plan/ },
  ...apply('warehouse, by telephone', /the step has taken the answer/),
]

const PAUSE: readonly Step[] = [
  { page: /Pauses/ },
  { type: [/^Name$/, 'bank'] },
  { choose: /^Show the plan/ },
  { see: /invoices[\s\S]*orders|orders[\s\S]*invoices/ },
  ...apply('bank: incident 4711'),
  CLOSE,
  { see: /2 paused/ },
  // At once with what undoes it: the bank is not down, and nothing else may wait for it.
  { choose: /^Resume all/ },
  ...apply('the bank is back'),
  CLOSE,
  { see: /Nothing is paused/ },
]

/** Of `src/tools/practice.md`. */
export const TASKS: Readonly<Record<string, readonly Step[]>> = {
  '1: what is wrong now': [
    { page: /Overview/ },
    { see: /unknown outcome[\s\S]*dead letters[\s\S]*stalled[\s\S]*long wait/ },
  ],
  '2: why did order-21 fail, and where in the code': [
    { search: 'order-21' },
    { see: /bank: 503[\s\S]*effect reserve/ },
    { choose: /^Stack/ },
    { see: /bank\.ts:\d+/ },
  ],
  '3: what became of parcel-51-malta': [
    { search: 'parcel-51-malta' },
    { see: /parcels\/parcel-51[\s\S]*no tariff for Malta/ },
    { choose: /^Table$/ },
    { see: /pack[\s\S]*ship/ },
  ],
  '4: the key checkout-71 was not charged': [
    { page: /Open items/ },
    { choose: /^Unknown outcomes/ },
    { choose: /payments\// },
    { see: /bank: connection reset/ },
    { choose: /^It was not made/ },
    { see: /becomes free/ },
    ...apply('bank: not charged'),
  ],
  '5: the price of order-12 is 750 cents': [
    { page: /Dead letters/ },
    { choose: /RejectedError/ },
    { choose: /order-12/ },
    { choose: /^Edit the payload/ },
    { type: [/^Payload/, '{"orderId":"order-12","sku":"apple","total":750}'] },
    { choose: /^Show the plan/ },
    { see: /7\.50 EUR[\s\S]*750/ },
    ...apply('price is a text'),
  ],
  '6: the bank is back': REDRIVE,
  '7: a mail to nobody is taken off the queue': [
    { page: /Dead letters/ },
    { choose: /no such address/ },
    { choose: /^Discard/ },
    { choose: /^Show the plan/ },
    { see: /1/ },
    { type: [/^Why/, 'no such address'] },
    { choose: /^Apply/ },
    { choose: /Follow it/, unless: /(\d+) of \1/ },
    { see: /(\d+) of \1/ },
  ],
  '8: mail-31 has arrived': RESOLVE,
  '9: the refund of payment-72 is free again': [
    { search: 'payment-72' },
    { see: /nightly refunds on host 7/ },
    { choose: /decide refunds\/payment-72 free/ },
    { see: /becomes free/ },
    { tick: /Take its lease away/ },
    ...apply('host 7 burnt down'),
  ],
  '10: return-61 is worth 500 cents': COMPLETE,
  '11: return-62 waits again': [
    { search: 'request-of-return-62' },
    { see: /a refund of -1200 cents/ },
    { choose: /decide returns\/return-62 again --step inspected/ },
    ...apply('wrong answer'),
  ],
  '12: stop what needs the bank, and start it again': PAUSE,
  '13: parcel-51 goes on': [
    { page: /Dead letters/ },
    { choose: /no tariff for Malta/ },
    { choose: /parcel-51-malta/ },
    { choose: /^Send 1 dead letter/ },
    { type: [/^Why/, 'tariff corrected'] },
    { choose: /^Apply/ },
    { see: /1 of 1[\s\S]*Nothing is left/ },
  ],
  '14: parcel-52 was cancelled': [
    { search: 'parcel-52-malta' },
    { choose: /decide parcels\/parcel-52 undo --request parcel-52-malta/ },
    { see: /undone/ },
    ...apply('cancelled'),
  ],
  '15: who has changed what, and what is wrong with the deployment': [
    { page: /History/ },
    { see: /ann[\s\S]*pause[\s\S]*bank: incident 4711/ },
    { page: /Overview/ },
    { choose: /Doctor/ },
    { see: /Nothing limits its concurrency/ },
  ],
}
