import { jsonLogger } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { deliver, emptyAll, receive, send } from '../../flow/flowHarness.ts'
import { counting, tripOn } from '../../flow/trip.ts'
import { countOf } from './counts.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const LEASE_OVER = 60_000
const NOTHING = 'Nothing is open, as far as the status index shows.'

/** An operator on call, with the commands and the log of the functions, and nothing else. */
async function onCall() {
  const harness = await operatorHarness(cloud)
  const log: string[] = []
  const logger = jsonLogger('INFO', (line) => log.push(line))
  const options = { ...harness.options, logger }
  const trip = tripOn(cloud, { ...harness, options } as never, { retry: { maxAttempts: 2 } })
  const type = async (line: string): Promise<string> => {
    const words = line.split(' ')
    const { code, out } =
      words[0] !== 'sweep' && words.includes('--apply')
        ? await harness.apply(...words.filter((word) => word !== '--apply'))
        : await harness.piped([log.join('\n')], ...words)
    return `${out}\n-> ${code}`
  }
  return { harness, trip, type }
}

// Each fault is planted, found, explained and repaired twice, with the same commands.
describe.each(['for the first time', 'and again'])('on call %s', () => {
  it('a stage that throws: listed by ls, described by explain, redriven by the id that explain gives', async () => {
    const { harness, trip, type } = await onCall()
    let broken = true
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting(harness.tableName))
      await ctx.next('ship', { key: ctx.key })
    })
    const ship = trip.stageHandler('ship', () => {
      if (broken) throw new Error('carrier 17 does not answer')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    for (let attempt = 0; attempt < 2; attempt++) await deliver(cloud, 'ship', ship)

    expect(await type('ls')).toMatch(/dead +trip\/k r1 +ship .*Error: carrier 17 does not answer/)
    const text = await type('explain trip/k --log -')
    expect(text).toMatch(
      /trip\.ship +2 +failed for good, will be dead-lettered +exhausted; Error: carrier/,
    )
    expect(text).toContain('lineclear dlq redrive dead --id r1')
    expect(await type('dlq groups dead')).toMatch(/trip\.ship +exhausted +Error: carrier <n> does/)
    broken = false
    expect(await type('dlq redrive dead --id r1')).toContain('1 dead letter would go to')
    expect(await type('redrive trip/k')).toContain('1 dead letter would go to')
    expect(await type('dlq redrive dead --id r1 --apply')).toContain('1 dead letter sent to')
    expect(await type('dlq redrive dead --apply')).toContain('Nothing to do')
    await deliver(cloud, 'ship', ship)

    expect(await type('ls')).toBe(`${NOTHING}\n-> 0`)
    const after = await type('explain trip/k --request r1')
    expect(after).toContain('a duplicate of a completed request')
    expect(after).toContain('closed: it was redriven and has ended')
    expect(await countOf(cloud, harness.tableName)).toBe(1)
  })

  it('a poison message: it holds no key, and its sender finds it in the log by its message id', async () => {
    const { harness, trip, type } = await onCall()
    const book = trip.stageHandler('book', () => {})
    await send(cloud, 'book', { nokey: true })
    await deliver(cloud, 'book', book)

    expect(await type('ls')).toContain(NOTHING)
    expect(await type('dlq groups dead')).toMatch(/1 +trip\.book +rejected +RejectedError: .*key/)
    const peeked = await harness.cli('dlq', 'peek', 'dead', '--json')
    const { letters } = JSON.parse(peeked.out) as { letters: { uniquerequestid: string }[] }
    const text = await type(`explain ${letters[0]?.uniquerequestid} --log -`)
    expect(text).toMatch(/trip\.book +dead-lettered without a run +rejected; RejectedError: .*key/)
    expect(await type('dlq discard dead --apply')).toContain('1 dead letter of 1')
    expect(await type('dlq discard dead --apply')).toContain('Nothing to do')
    expect(await type('dlq groups dead')).toContain('0 dead letters')
  })

  it('a hostile error: the sweep forges no line with it', async () => {
    const { harness, trip, type } = await onCall()
    const book = trip.stageHandler('book', () => {
      throw new Error('\u001B[2J\nNothing is due.')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    for (let attempt = 0; attempt < 2; attempt++) await deliver(cloud, 'book', book)
    harness.clock.advance(LEASE_OVER)
    const text = await type('sweep --apply --grace 0s')
    expect(text).toMatch(/^trip\/k {2}.*<U\+001B>\[2J Nothing is due/m)
    expect(text).not.toContain('\u001B')
    expect(text).toContain('this does not start the sweeper')
    expect(text).toContain('only listed by a sweep: lineclear ls --due')
    const preview = await type('sweep --grace 0s')
    expect(preview).toContain('waits for an operator, and a sweep does nothing about it')
    expect(preview).not.toContain('--apply')
  })

  it('a crashed holder: ls says that its attempt was lost, and the key is free again', async () => {
    const { harness, trip, type } = await onCall()
    const begun = Promise.withResolvers<void>()
    const hangs = trip.stageHandler('book', async () => {
      begun.resolve()
      await new Promise(() => {})
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    const Records = await receive(cloud, 'book')
    // It comes to its deadline when the cloud of this test may be gone.
    hangs({ Records }, lambdaContext()).catch(() => {})
    await begun.promise

    expect(await type('ls')).toContain(NOTHING)
    expect(await type('decide trip/k free --apply')).toMatch(
      /Refused: nothing was changed\..*\n-> 1$/,
    )
    harness.clock.advance(5 * LEASE_OVER)
    expect(await type('sweep --search --apply')).toMatch(/trip\/k +stalled/)
    expect(await type('ls')).toMatch(/trip\/k .* its attempt was lost, lease ended 4 min ago/)
    expect(await type('explain trip/k')).toContain(
      'If it is not there any more: lineclear decide trip/k free',
    )
    expect(await type('decide trip/k free --apply --why killed')).toContain('Done')
    expect(await type('decide trip/k free --apply --why killed')).toContain('Nothing to do')
    expect(await type('ls')).toContain(NOTHING)
    expect(await type('explain trip/k --log -')).toMatch(
      /table +trip .*decide free, by ann +killed/,
    )
    let ran = 0
    const book = trip.stageHandler('book', () => void (ran += 1))
    await emptyAll(cloud)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
    await deliver(cloud, 'book', book)
    expect(ran).toBe(1)
  })

  it('an awaited answer that never arrives: explain gives the command, and the run continues', async () => {
    const { trip, type } = await onCall()
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}, { timeout: '1h' }),
    )
    const without: string[] = []
    const quote = trip.answerHandler('quote', () => {}, {
      onTimeout: (ctx) => void without.push(ctx.key),
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await emptyAll(cloud)

    expect(await type('ls')).toMatch(/awaiting +trip\/k +quote .*in 1 hour/)
    expect(await type('explain trip/k')).toContain('lineclear decide trip/k timeout --step quote')
    expect(await type('decide trip/k timeout --step quote --apply')).toContain('Done')
    expect(await type('decide trip/k timeout --step quote --apply')).toContain('Nothing to do')
    await deliver(cloud, 'quotes', quote)
    expect(without).toEqual(['k'])
    expect(await type('decide trip/k timeout --step quote --apply')).toMatch(
      /Nothing to do: its run is over\.\n-> 0$/,
    )
    expect(await type('ls')).toContain(NOTHING)
  })
})
