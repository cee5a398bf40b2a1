import { sign } from '../../../examples/provider-webhook/signature.ts'
import type { Stage } from '../stage.ts'
import { COUNT, now, numbers, type OpenCourse } from './course.ts'

const checkout: OpenCourse = (stage) => {
  const all = async () => (await stage.rows('sales')).find(({ id }) => id === 'all')
  return {
    name: 'a flow over two Lambdas',
    functions: ['validate', 'charge'],
    async drive() {
      for (const number of numbers) {
        const cart = { cartId: `c${number}`, orderedAt: now(), items: number }
        await stage.twice((id) => stage.send('ValidateQueue', cart, id))
      }
      const sales = async () => (await all())?.['count']
      await stage.until('sales', sales, (count) => count === String(COUNT))
    },
    async books() {
      const total = String(numbers.reduce((sum, items) => sum + items * 3, 0))
      const carts = (await stage.rows('carts')).map(({ state }) => state)
      return [
        { what: 'sales', wanted: { id: 'all', count: String(COUNT), total }, had: await all() },
        { what: 'carts', wanted: numbers.map(() => 'charged'), had: carts },
      ]
    },
  }
}

interface Question {
  readonly searchId: string
  readonly tripId: string
}

/** Every fourth trip gets no answer in time, every other fourth one by the webhook, the others by message; always twice. */
const trips: OpenCourse = (stage) => ({
  name: 'answers from outside, by message and by webhook, and none in time',
  functions: ['search', 'found', 'offer', 'answer'],
  async drive() {
    for (const number of numbers) {
      const trip = { tripId: `t${number}`, askedAt: Date.now() }
      await stage.twice((id) => stage.send('SearchQueue', trip, id))
    }
    const asked = new Set<string>()
    const answerAll = async () => {
      for (const { Body = '' } of await stage.take('AirlineQueue')) {
        const question = JSON.parse(Body) as Question
        asked.add(question.tripId)
        await answer(stage, question)
      }
      return asked.size
    }
    await stage.until('questions', answerAll, (count) => count === COUNT)
    const offers = async () => (await stage.rows('offers')).length
    await stage.until('offers', offers, (count) => count === COUNT)
  },
  async books() {
    const offers = await stage.rows('offers')
    const unanswered = offers.filter(({ tripId = '' }) => numberOf(tripId) % 4 === 0)
    return [
      { what: 'offers', wanted: numbers.map(() => '1'), had: offers.map(({ made }) => made) },
      {
        what: 'unanswered',
        wanted: unanswered.map(() => '0'),
        had: unanswered.map(({ price }) => price),
      },
    ]
  },
})

function numberOf(tripId: string): number {
  return Number(tripId.slice(1))
}

async function answer(stage: Stage, { searchId, tripId }: Question): Promise<void> {
  const number = numberOf(tripId)
  if (number % 4 === 0) return
  const found = { searchId, price: number }
  const send = () =>
    number % 4 === 1
      ? callSigned(stage, 'answer', '/searches', found)
      : stage.send('FoundQueue', found)
  await Promise.all([send(), send()])
}

/** As the provider does, with the key that the function `name` has. */
export async function callSigned(
  stage: Stage,
  name: string,
  path: string,
  payload: object,
): Promise<string> {
  const { WEBHOOK_SECRETS = '' } = await stage.place.environmentOf(name)
  const { current } = JSON.parse(WEBHOOK_SECRETS) as { current: string }
  return stage.callUntilTaken(path, payload, sign(JSON.stringify(payload), current, Date.now()))
}

const VERSIONS = [1, 2, 3, 4]
const LAST = String(VERSIONS.at(-1))

const cache: OpenCourse = (stage) => {
  const shown = async () => (await stage.rows('cache'))[0]?.['version']
  return {
    name: 'a cache that is triggered while it is being rebuilt',
    functions: ['rebuild', 'announce'],
    async drive() {
      for (const version of VERSIONS) {
        await stage.put('source', { region: 'eu', version })
        const change = { region: 'eu', changedAt: now() }
        await stage.twice((id) => stage.send('RebuildQueue', change, id))
      }
      await stage.until('cache', shown, (version) => version === LAST)
    },
    async books() {
      const [rebuilds] = await stage.rows('rebuilds')
      const messages = await stage.take('RebuiltQueue')
      const told = String(new Set(messages.map(({ Body }) => Body)).size)
      return [
        { what: 'the newest version', wanted: LAST, had: await shown() },
        { what: 'rebuilds that were announced', wanted: rebuilds?.['count'], had: told },
      ]
    },
  }
}

export const FLOWS: readonly OpenCourse[] = [checkout, trips, cache]
