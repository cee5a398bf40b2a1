import { it } from 'vitest'
import { type Audited, lastLine, runDemo, sound } from './runDemo.ts'

it('npm run demo lets both be right when nothing goes wrong', async ({ expect }) => {
  const args = ['--messages', '12', '--seed', '1', '--faults', 'none', '--json']
  const { code, stdout } = await runDemo(args)
  expect(code, stdout).toBe(0)
  const right = { ...sound, messages: 12, calls: 12, expected: 24, found: 24, duplicates: 0 }
  const { naive, lineclear }: Audited = JSON.parse(lastLine(stdout))
  expect(lineclear).toMatchObject(right)
  // On a machine so busy that a function runs out of time, even this is more than the naive one can stand.
  if (naive.timeouts === 0) expect(naive).toMatchObject(right)
})
