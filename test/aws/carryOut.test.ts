import { expect, it } from 'vitest'
import { carryOut } from './carryOut.ts'
import { LimitError, startMeter } from './meter.ts'
import type { Place } from './places/place.ts'

const PLACE = {} as Place

/** What is called, and what is said. */
function fakeDeployment(left: readonly string[] = [], deploy = () => Promise.resolve(PLACE)) {
  const calls: string[] = []
  const said: string[] = []
  const deployment = {
    byHand: 'remove it by hand',
    async deploy() {
      calls.push('deploy')
      return deploy()
    },
    async remove() {
      calls.push('remove')
      return left
    },
  }
  return { deployment, calls, said, say: (line: string) => void said.push(line) }
}

const never = (): Promise<never> => new Promise(() => {})
const content = (): Promise<boolean> => Promise.resolve(true)

it('removes what a good run has deployed', async () => {
  const { deployment, calls, say } = fakeDeployment()
  const stop = new AbortController().signal
  expect(await carryOut(deployment, content, { keep: false, stop, say })).toBe(true)
  expect(calls).toEqual(['deploy', 'remove'])
})

it('removes what a deployment that failed has left', async () => {
  const { deployment, calls, said, say } = fakeDeployment([], () =>
    Promise.reject(new Error('no room for it')),
  )
  const stop = new AbortController().signal
  expect(await carryOut(deployment, content, { keep: false, stop, say })).toBe(false)
  expect(calls).toEqual(['deploy', 'remove'])
  expect(said.join('\n')).toContain('no room for it')
})

it('removes after work that failed', async () => {
  const { deployment, calls, say } = fakeDeployment()
  const stop = new AbortController().signal
  const fails = (): Promise<never> => Promise.reject(new Error('wrong'))
  expect(await carryOut(deployment, fails, { keep: false, stop, say })).toBe(false)
  expect(calls).toEqual(['deploy', 'remove'])
})

it.each([
  ['the deployment', never, content],
  ['the work', () => Promise.resolve(PLACE), never],
])('removes when %s is stopped', async (_, deploy, work) => {
  const { deployment, calls, said, say } = fakeDeployment([], deploy)
  const stop = new AbortController()
  const done = carryOut(deployment, work, { keep: false, stop: stop.signal, say, graceMs: 20 })
  setTimeout(() => stop.abort(new Error('stopped by SIGINT')), 10)
  expect(await done).toBe(false)
  expect(calls).toEqual(['deploy', 'remove'])
  expect(said.join('\n')).toContain('stopped by SIGINT')
})

it('removes only when the work that was stopped has ended: what it made meanwhile would be left', async () => {
  const { deployment, calls, say } = fakeDeployment()
  const stop = new AbortController()
  const work = async (): Promise<boolean> => {
    stop.abort(new Error('stopped by SIGINT'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    calls.push('ended')
    return true
  }
  expect(await carryOut(deployment, work, { keep: false, stop: stop.signal, say })).toBe(false)
  expect(calls).toEqual(['deploy', 'ended', 'remove'])
})

it('removes when the limit is reached', async () => {
  const { deployment, calls, said, say } = fakeDeployment()
  const stop = new AbortController().signal
  const meter = startMeter({ limit: 0.5, hourly: 0, stop })
  let sent = 0
  const work = async (): Promise<boolean> => {
    for (;;) {
      meter.check()
      meter.sent(1)
      sent += 1
    }
  }
  expect(await carryOut(deployment, work, { keep: false, stop, say })).toBe(false)
  expect(calls).toEqual(['deploy', 'remove'])
  expect(said.join('\n')).toContain('LimitError: the limit is reached: 0.500 of 0.5 US dollars')
  expect(sent).toBeGreaterThan(100)
})

it('the limit is also one of time', () => {
  let now = 0
  const { signal } = new AbortController()
  const meter = startMeter({ limit: 1, hourly: 0.5, stop: signal, now: () => now })
  now = 7_100_000
  expect(() => meter.check()).not.toThrow()
  now = 7_200_000
  expect(() => meter.check()).toThrow(LimitError)
})

it('says what is left, and how to remove it by hand', async () => {
  const { deployment, said, say } = fakeDeployment(['AWS::S3::Bucket b: not empty'])
  const stop = new AbortController().signal
  expect(await carryOut(deployment, content, { keep: false, stop, say })).toBe(false)
  expect(said).toContain('LEFT       AWS::S3::Bucket b: not empty')
  expect(said).toContain('By hand: remove it by hand')
})

it('keeps everything when it is asked to, and says how to remove it', async () => {
  const { deployment, calls, said, say } = fakeDeployment()
  const stop = new AbortController().signal
  expect(await carryOut(deployment, content, { keep: true, stop, say })).toBe(true)
  expect(calls).toEqual(['deploy'])
  expect(said.join('\n')).toContain('remove it by hand')
})
