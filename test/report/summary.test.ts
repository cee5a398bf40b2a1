import { styleText } from 'node:util'
import { expect, it, vi } from 'vitest'
import { DefaultReporter } from 'vitest/node'
import { Summary } from './summary.ts'

it.each([
  { title: 'Type Errors', said: 'no errors', shown: false },
  { title: 'Type Errors', said: '1 failed', shown: true },
  { title: 'Errors', said: '1 error', shown: true },
])('the summary says "$title $said": $shown', ({ title, said, shown }) => {
  const log = vi.spyOn(DefaultReporter.prototype, 'log').mockReturnValue()
  new Summary().log(styleText('dim', title.padStart(11)), styleText('dim', said))
  expect(log).toHaveBeenCalledTimes(shown ? 1 : 0)
})
