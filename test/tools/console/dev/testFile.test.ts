import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { testFile } from '../../../../src/tools/console/dev/saveTest.ts'

test('a session becomes a test that a person can read', () => {
  const run = { seed: 7, send: [{ to: 'mails', payload: 'a "text"\n' }] }
  expect(testFile('./dev.ts', "it's charged once", run, 'No book was wrong'))
    .toBe(`// When it was saved: No book was wrong
import { replayRun } from 'lineclear/local'
import { expect, test } from 'vitest'
import dev from "./dev.ts"

test("it's charged once", { timeout: 150_000 }, async () => {
  const { red } = await replayRun(dev, {
    "seed": 7,
    "send": [
      {
        "to": "mails",
        "payload": "a \\"text\\"\\n"
      }
    ]
  })
  expect(red).toEqual([])
})
`)
})

test.each([
  { text: '\u2028 `${process.exit()}` \\ \' " </script>' },
  { __proto__: null, nested: JSON.parse('{"__proto__": {"polluted": true}}') as unknown },
  [1.5, true, null, [], {}, 'x'.repeat(200)],
])('a payload comes back as it was: %j', (payload) => {
  const text = testFile('./dev.ts', 't', { send: [{ to: 'q', payload }] }, '')
  const literal = /replayRun\(dev, ([^]*)\)\n {2}expect/.exec(text)?.[1] ?? ''
  const run = runInNewContext(`(${literal})`) as { send: { payload: unknown }[] }
  expect(JSON.stringify(run.send[0]?.payload)).toBe(JSON.stringify(payload))
})
