import { describe, it } from 'vitest'
import { endOf, lastLine, runDemo, sound, startDemo } from './runDemo.ts'

// The messages of a killed function are redelivered after 9 s, and a busy machine is slow.
describe.concurrent('npm run demo', () => {
  it('sends callbacks of the user, and dead-letters those that do not fit', async ({ expect }) => {
    const lines = [
      '{"transactionId":"one","account":"åsa 🚀","amount":1250}',
      'no JSON at all',
      '{"transactionId":"two","account":"bo","amount":-5}',
      '',
      '[]',
      '{"transactionId":"three","account":"cy","amount":1,"more":{"than":"asked"}}',
      '{"transactionId":"one","account":"dan","amount":1250}',
    ]
    const args = ['--input', '-', '--faults', 'duplicate,shuffle', '--seed', '3', '--json']
    const { code, stdout, stderr } = await runDemo(args, lines.join('\n'))
    expect(code, stdout).toBe(0)
    expect(stderr.match(/line \d/g)).toEqual(['line 2', 'line 7', 'line 1'])
    expect(stderr).toContain('line 2: expected JSON, got "no JSON at all"')
    expect(JSON.parse(lastLine(stdout))).toMatchObject({
      unreadableLines: 2,
      lineclear: { ...sound, messages: 4, expected: 4, found: 4, unfitting: 2, deadLettered: 2 },
    })
    expect(stdout).toMatch(/callbacks dead-lettered +2 +2/)
  })

  it('stops at Ctrl-C', async ({ expect }) => {
    const child = startDemo('--seed', '1')
    const end = endOf(child)
    const progress = new Promise((resolve) => {
      child.stdout?.on('data', (text) => void (String(text).includes(' s   naive') && resolve(0)))
    })
    await progress
    child.kill('SIGINT')
    expect((await end).code).toBe(130)
  })
})
