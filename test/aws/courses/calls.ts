import { sign } from '../../../examples/provider-webhook/signature.ts'
import { COUNT, numbers, type OpenCourse } from './course.ts'
import { callSigned } from './flows.ts'

const CALLS = 20
const KEYS = ['p1', 'p2']
const cents = 1200

const payments: OpenCourse = (stage) => {
  const answers = new Map<string, Set<string>>()
  return {
    name: 'payments, twenty calls at once on one key, by two APIs',
    functions: ['payments', 'paymentsMiddy'],
    async drive() {
      for (const path of ['/payments', '/payments-middy']) {
        for (const key of KEYS) {
          const headers = { 'idempotency-key': key }
          const call = () => stage.callUntilTaken(path, { cents }, headers)
          const all = await Promise.all(Array.from({ length: CALLS }, call))
          answers.set(`${path} ${key}`, new Set(all))
        }
      }
    },
    async books() {
      const headers = { 'idempotency-key': 'p1' }
      const { status } = await stage.call('/payments', { cents: 7 }, headers)
      return [
        {
          what: 'answers of each key',
          wanted: [1, 1, 1, 1],
          had: [...answers.values()].map(({ size }) => size),
        },
        { what: 'another payment with its key', wanted: 422, had: status },
      ]
    },
  }
}

const NIGHTS = ['2026-01-01', '2026-01-02', '2026-01-03']
const SCHEDULE = 'arn:aws:scheduler:eu-central-1:123456789012:schedule/default/settlement'

/** Callbacks and bookings are told to one ledger, and so is each night. */
const ledger: OpenCourse = (stage) => {
  const total = async () => (await stage.rows('ledger')).find(({ id }) => id === 'total')
  const settled = async () => (await stage.rows('sales')).find(({ id }) => id === 'settled')
  const entries = String(COUNT + KEYS.length + NIGHTS.length)
  return {
    name: 'callbacks, bookings and nights of one ledger, each twice at once',
    functions: ['callbacks', 'bookings', 'settlement', 'ledger'],
    async drive() {
      for (const number of numbers) {
        const callback = { transactionId: `tx${number}`, cents: 100 }
        await stage.twice(() => callSigned(stage, 'callbacks', '/callbacks', callback))
      }
      for (const key of KEYS) {
        const headers = { 'idempotency-key': key }
        await stage.twice(() => stage.callUntilTaken('/bookings', { cents }, headers))
      }
      for (const night of NIGHTS) {
        await stage.put('sales', { id: night, cents: 10 })
        const event = { schedule: SCHEDULE, at: `${night}T03:00:00Z` }
        await stage.twice(() => stage.place.invoke('settlement', event))
      }
      const booked = async () => (await total())?.['entries']
      await stage.until('ledger', booked, (count) => count === entries)
    },
    async books() {
      const sum = COUNT * 100 + KEYS.length * cents + NIGHTS.length * 10
      const nights = { id: 'settled', nights: String(NIGHTS.length), cents: '30' }
      const forged = { transactionId: 'forged', cents: 1_000_000 }
      const wrong = sign(JSON.stringify(forged), 'no key of the provider', Date.now())
      const refused = [
        await stage.call('/callbacks', forged),
        await stage.call('/callbacks', forged, wrong),
      ]
      return [
        {
          what: 'ledger',
          wanted: { id: 'total', entries, cents: String(sum) },
          had: await total(),
        },
        { what: 'nights', wanted: nights, had: await settled() },
        { what: 'forged', wanted: [401, 401], had: refused.map(({ status }) => status) },
      ]
    },
  }
}

const refunds: OpenCourse = (stage) => {
  const call = () => stage.callUntilTaken('/refunds', { paymentId: 'payment-1' })
  const answers = new Set<string>()
  return {
    name: 'refunds, five calls at once for one payment',
    functions: ['refunds'],
    async drive() {
      const all = await Promise.all(Array.from({ length: 5 }, call))
      for (const answer of all) answers.add(answer)
    },
    async books() {
      answers.add(await call())
      const wanted = ['{"paymentId":"payment-1","cents":-1200}']
      return [{ what: 'answers', wanted, had: [...answers] }]
    },
  }
}

export const CALLED: readonly OpenCourse[] = [payments, ledger, refunds]
