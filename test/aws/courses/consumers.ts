import { COUNT, now, numbers, type OpenCourse } from './course.ts'

const orders: OpenCourse = (stage) => {
  const paid: string[] = []
  // Dead letters that were mended are told as well.
  const take = async () => {
    for (const { Body = '' } of await stage.take('paid')) paid.push(...(/\bo\d+/.exec(Body) ?? []))
    return new Set(paid).size
  }
  return {
    name: 'orders, by queue and by topic',
    functions: ['orders'],
    async drive() {
      await stage.listen('PaidTopic', 'paid')
      for (const number of numbers) {
        const order = { orderId: `o${number}`, sku: 'sku', quantity: 2 }
        await stage.twice((id) =>
          number % 2 === 0
            ? stage.send('OrdersQueue', order, id)
            : stage.publish('OrdersTopic', order, id),
        )
      }
      await stage.until('paid', take, (count) => count >= COUNT)
    },
    async books() {
      await take()
      const stock = (await stage.rows('stock')).find(({ sku }) => sku === 'sku')
      return [
        { what: 'reserved', wanted: String(2 * COUNT), had: stock?.['reserved'] },
        {
          what: 'told to the topic',
          wanted: numbers.map((number) => `o${number}`).toSorted(),
          had: [...new Set(paid)].toSorted(),
        },
      ]
    },
  }
}

const addresses: OpenCourse = (stage) => {
  const moved = async () =>
    (await stage.rows('customers')).filter(({ address }) => address === 'house 3').length
  return {
    name: 'the newest address',
    functions: ['addresses'],
    async drive() {
      for (const house of [1, 2, 3]) {
        for (const number of numbers) {
          const address = `house ${house}`
          await stage.send('AddressesQueue', { customerId: `m${number}`, address, movedAt: now() })
        }
      }
      await stage.until('addresses', moved, (count) => count === COUNT)
    },
    books: async () => [{ what: 'addresses', wanted: COUNT, had: await moved() }],
  }
}

const STOCK = 5

const reservations: OpenCourse = (stage) => {
  const answers = new Map<string, string>()
  const take = async () => {
    for (const { Body = '' } of await stage.take('AnswersQueue')) {
      const { orderId, answer } = JSON.parse(Body) as Record<string, string>
      answers.set(orderId ?? '', answer ?? '')
    }
    return answers.size
  }
  return {
    name: 'twelve orders of five pieces',
    functions: ['reservations'],
    async drive() {
      await stage.put('stock', { sku: 'rare', available: STOCK })
      for (const number of numbers) {
        const order = { orderId: `r${number}`, sku: 'rare', quantity: 1 }
        await stage.twice(() => stage.send('ReservationsQueue', order))
      }
      await stage.until('answers', take, (count) => count === COUNT)
    },
    async books() {
      await take()
      const stock = (await stage.rows('stock')).find(({ sku }) => sku === 'rare')
      const reserved = [...answers.values()].filter((answer) => answer === 'reserved').length
      return [
        { what: 'available', wanted: '0', had: stock?.['available'] },
        { what: 'reserved', wanted: STOCK, had: reserved },
      ]
    },
  }
}

const payouts: OpenCourse = (stage) => {
  const paid = async () => (await stage.rows('payouts')).length
  return {
    name: 'payouts behind a circuit breaker',
    functions: ['payouts'],
    async drive() {
      for (const number of numbers) {
        const payout = { payoutId: `payout-${number}`, cents: number }
        await stage.twice(() => stage.send('PayoutsQueue', payout))
      }
      await stage.until('payouts', paid, (count) => count === COUNT)
    },
    books: async () => [{ what: 'payouts', wanted: COUNT, had: await paid() }],
  }
}

const parcels: OpenCourse = (stage) => {
  const there = async () => (await stage.rows('parcels')).filter(({ place }) => place === 'home')
  return {
    name: 'parcels, by the bus, each event twice',
    functions: ['parcels'],
    async drive() {
      for (const place of ['depot', 'home']) {
        // EventBridge counts whole seconds.
        await stage.until('a later second', () => Promise.resolve(Date.now()), later(1_100))
        for (const number of numbers) {
          const detail = { parcelId: `parcel-${number}`, place }
          const put = () => stage.putEvent('my.parcels', 'ParcelMoved', detail)
          await Promise.all([put(), put()])
        }
      }
      await stage.until('parcels', there, ({ length }) => length === COUNT)
    },
    books: async () => [{ what: 'parcels at home', wanted: COUNT, had: (await there()).length }],
  }
}

function later(milliseconds: number): (time: number) => boolean {
  const then = Date.now() + milliseconds
  return (time) => time >= then
}

const SIZES = ['a', 'ab', 'abc']

const uploads: OpenCourse = (stage) => {
  const bucket = stage.place.resources.get('UploadsBucket') ?? ''
  const last = async () =>
    (await stage.rows('files')).filter(({ size }) => size === String(SIZES.length)).length
  return {
    name: 'files that are written three times',
    functions: ['uploads'],
    async drive() {
      for (const body of SIZES) {
        for (const number of numbers) await stage.place.upload(bucket, `file ${number}.txt`, body)
      }
      await stage.until('files', last, (count) => count === COUNT)
    },
    books: async () => [{ what: 'files', wanted: COUNT, had: await last() }],
  }
}

/** Every fifth report is larger than a message. */
const linesOf = (number: number): number => (number % 5 === 0 ? 60_000 : 10)

const reports: OpenCourse = (stage) => {
  const lines = async () =>
    (await stage.rows('reports')).reduce((sum, row) => sum + Number(row['lines']), 0)
  const wanted = numbers.reduce((sum, number) => sum + linesOf(number), 0)
  return {
    name: 'reports, some larger than a message',
    functions: ['write', 'archive'],
    async drive() {
      for (const number of numbers) {
        const report = { reportId: `report-${number}`, lines: linesOf(number) }
        await stage.twice(() => stage.send('WriteQueue', report))
      }
      await stage.until('reports', lines, (count) => count >= wanted)
    },
    books: async () => [{ what: 'lines', wanted, had: await lines() }],
  }
}

const invoices: OpenCourse = (stage) => {
  const open = async () => (await stage.rows('invoices')).map(({ reminders }) => reminders)
  const kept = async () => (await stage.rows('lineclear')).filter(({ sk }) => sk === 'later').length
  return {
    name: 'reminders that are kept for a day',
    functions: ['invoiced'],
    async drive() {
      for (const number of numbers) {
        await stage.twice(() => stage.send('InvoicedQueue', { orderId: `i${number}` }))
      }
      await stage.until('kept', kept, (count) => count === COUNT)
    },
    books: async () => [
      { what: 'reminders kept', wanted: COUNT, had: await kept() },
      { what: 'reminders sent', wanted: numbers.map(() => '0'), had: await open() },
    ],
  }
}

export const CONSUMERS: readonly OpenCourse[] = [
  orders,
  addresses,
  reservations,
  payouts,
  parcels,
  uploads,
  reports,
  invoices,
]
