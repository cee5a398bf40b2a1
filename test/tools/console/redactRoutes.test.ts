import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/library/base/clock.ts'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { dev } from '../../../src/tools/cli/dev.ts'
import { routesOf } from '../../../src/tools/console/api.ts'
import { actionsOf } from '../../../src/tools/console/change.ts'
import { devRoutes } from '../../../src/tools/console/dev/devRoutes.ts'
import { consumerOn, operatorHarness, startCloud } from '../cli/operatorHarness.ts'
import { deliver, send, sendDeadLetter, text } from '../operator/dlqHarness.ts'
import { consoleHere } from './consoleHere.ts'
import { nothingFound } from './served.ts'

const CANARY = 'canary'
/** What `--redact` names, wherever a payload or an attribute can hold it. */
const SECRETS = {
  secret: `${CANARY}-1`,
  lines: [{ secret: `${CANARY}-2` }],
  inside: JSON.stringify({ secret: `${CANARY}-3` }),
}
const PATHS = ['secret', 'lines.*.secret', '@secret']
const ATTRIBUTES = { secret: text(`${CANARY}-4`), tenant: text('acme') }

/** What is asked of each route of the router. ID: a dead letter. PLAN: a plan that was applied. POST routes: `CHANGES`. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  session: [''],
  overview: ['', 'handover=1', 'noQueues=1', 'plan=PLAN'],
  tasks: ['', 'status=error&status=unknown&status=dead'],
  request: ['id=orders/ID', 'id=ID&scan=1', 'history=1', 'history=1&id=orders/ID', 'id=SQS&scan=1'],
  groups: [
    '',
    'counts=1',
    'queue=dead&per=tenant',
    'queue=dead&per=secret',
    'queue=book&per=secret',
  ],
  letters: ['', 'queue=dead', 'queue=dead&id=ID&body=1', 'queue=dead&id=SQS&body=1', 'id=ID'],
  pauses: [''],
  search: ['q=ID', 'q=orders/ID', 'q=SQS&letters=1', 'q=ID&letters=1&scan=1'],
}

/** Routes that change something; the map and the doctor read no message. */
const OTHERS = ['plan', 'apply', 'stop', 'map', 'doctor']
/** Only `lineclear dev` has these, which takes no `--redact`. */
const OF_DEV = ['dev', 'dev/books', 'dev/send', 'dev/fault', 'dev/save']

/** Each action of the console, planned and applied. The page cannot name what `forget` erases. */
const CHANGES: Readonly<Record<string, object>> = {
  decide: { id: 'orders/DECIDED', decision: 'done', result: { ...SECRETS } },
  forget: {},
  sweep: {},
  'dlq.redrive': { queue: 'dead', id: ['SENT'] },
  'dlq.edit': { queue: 'dead', id: 'ID', set: { secret: `${CANARY}-5`, total: 5 } },
  'dlq.discard': { queue: 'dead', id: ['DISCARDED'] },
  'dlq.restore': { plan: 'PLAN' },
  pause: { queue: 'book', for: '1h' },
  resume: { queue: 'book' },
}

type Answer = Readonly<Record<string, unknown>>

let cloud: LocalCloud
let office: Awaited<ReturnType<typeof operatorHarness>>
let console: Awaited<ReturnType<typeof consoleHere>>
const names: Record<string, string> = {}

beforeAll(async () => {
  cloud = await startCloud()
  office = await operatorHarness(cloud)
  const ends = consumerOn(office, async (_payload, ctx) => {
    await ctx.call('charge', async () => ({ ...SECRETS }))
    throw new TerminalError('no such customer')
  })
  for (const name of ['ID', 'DECIDED', 'SENT', 'DISCARDED', 'KEPT']) {
    const attributes = { ...ATTRIBUTES, uniquerequestid: text(`of-${name.toLowerCase()}`) }
    await send(cloud, 'book', SECRETS, { attributes })
    names[name] = `of-${name.toLowerCase()}`
  }
  await deliver(cloud, 'book', ends)
  // As SQS moves it: it names no request.
  names['SQS'] = await send(cloud, 'dead', SECRETS, { attributes: ATTRIBUTES })
  await sendDeadLetter(cloud, SECRETS, { id: 'of-nobody', reason: 'exhausted' })
  const kept = await office.cli('dlq', 'discard', 'dead', '--id', 'of-kept', '--json')
  names['PLAN'] = (JSON.parse(kept.out) as { readonly plan: string }).plan
  await office.cli('dlq', 'discard', 'dead', '--id', 'of-kept', '--apply', names['PLAN'])
  const redact = PATHS.flatMap((path) => ['--redact', path])
  console = await consoleHere(office, cloud, '--allow-changes', ...redact)
})
afterAll(async () => {
  await console.stop()
  await cloud.stop()
})

function named(given: string): string {
  return given.replaceAll(/\b[A-Z]{2,}\b/g, (name) => names[name] ?? name)
}

/** What a busy machine does not end within the server's patience runs on behind its answer, and is followed by its plan: a sweep has none. */
async function ended(applied: Answer): Promise<Answer> {
  if (applied['running'] !== true || applied['plan'] === 'sweep') return applied
  const progress = async (): Promise<Answer> =>
    (await console.get(`overview?plan=${String(applied['plan'])}`)).json['here'] as Answer
  await expect.poll(progress).toMatchObject({ running: false })
  return (await progress())['body'] as Answer
}

describe('what --redact names is shown by no route', () => {
  it('and each route of the router is among these', () => {
    const own = devRoutes({ books: { read: async () => ({}) } } as never)
    const options = { commands: COMMANDS, again: nothingFound, session: never, clock: systemClock }
    const { signal } = new AbortController()
    const routes = routesOf({ ...options, canChange: true, map: () => ({}), own }, signal)
    const known = [...Object.keys(ASKED), ...OTHERS, ...OF_DEV]
    expect([...routes.keys()].toSorted()).toEqual(known.toSorted())
    expect(Object.keys(dev.options)).not.toContain('redact')
    expect(Object.keys(CHANGES).toSorted()).toEqual([...actionsOf(COMMANDS).keys()].toSorted())
  })

  it.each(Object.entries(CHANGES))('%s, planned and applied', async (action, given) => {
    const body = JSON.parse(named(JSON.stringify({ action, given }))) as object
    const planned = await post('plan', body)
    const plan = planned['plan']
    const applied = await ended(
      await post('apply', { ...body, plan, why: 'a test', confirm: office.tableName }),
    )
    expect(JSON.stringify([planned, applied])).not.toContain(CANARY)
    const isOpen = action === 'forget' || (action === 'sweep' && applied['running'] === true)
    expect(applied['outcome']).toBe(isOpen ? undefined : 'applied')
  })

  it.each(
    Object.entries(ASKED).flatMap(([route, queries]) =>
      queries.map((query) => (query === '' ? route : `${route}?${query}`)),
    ),
  )('%s', async (asked) => {
    const { json, status } = await console.get(named(asked))
    expect(status).toBe(asked.includes('per=secret') ? 403 : 200)
    expect(JSON.stringify(json)).not.toContain(CANARY)
  })

  it('and without --redact they show it', async () => {
    const open = await consoleHere(office, cloud)
    const asked = ['letters?queue=dead&id=SQS&body=1', 'groups?queue=dead&per=secret']
    const shown = await Promise.all(asked.map(async (each) => (await open.get(named(each))).json))
    for (const nth of [1, 2, 3, 4]) expect(JSON.stringify(shown)).toContain(`${CANARY}-${nth}`)
    await open.stop()
  })
})

const never = async (): Promise<never> => Promise.reject(new Error('not asked'))

async function post(route: string, body: object): Promise<Answer> {
  const response = await fetch(`${console.origin}/api/${route}`, {
    method: 'POST',
    headers: { 'x-lineclear-token': console.token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Answer
}
