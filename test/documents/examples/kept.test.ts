import { expect, it } from 'vitest'
import { readRunArguments } from '../../../examples/runArguments.ts'

it.each([
  ['--keep', '--keep: expected the NAME of an example beside it'],
  ['orders schedule', 'expected one NAME, got "orders" and "schedule"'],
  ['orders --keep=yes', '--keep: expected no value, got "yes"'],
  ['orders -k', 'expected --keep, --console or --help, got "-k"'],
])('refuses %s', (args, message) => {
  const reading = (): unknown => readRunArguments(args.split(' '))
  expect(reading).toThrow(expect.objectContaining({ name: 'UsageError', message }))
})

it('reads every option', () => {
  expect(readRunArguments([])).toEqual({
    name: undefined,
    keep: false,
    console: false,
    help: false,
  })
  const both = { name: 'orders', keep: true, console: false, help: true }
  expect(readRunArguments(['--keep', 'orders', '-h'])).toEqual(both)
})
