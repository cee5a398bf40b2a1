import { expect, it } from 'vitest'
import { readArguments } from '../../../examples/demo/arguments.ts'

it('has an answer for every option that is not given', () => {
  expect(readArguments([], 42)).toEqual({
    seed: 42,
    messages: 200,
    faults: ['duplicate', 'kill', 'late', 'lose', 'shuffle', 'throttle'],
    input: undefined,
    keep: false,
    console: false,
    broken: false,
    seconds: undefined,
    fix: undefined,
    json: false,
    verbose: false,
    help: false,
  })
})

it('reads every option', () => {
  const args = '--seed 7 --messages=12 --faults kill,duplicate --keep --console --json --verbose -h'
  expect(readArguments(args.split(' '), 42)).toEqual({
    seed: 7,
    messages: 12,
    faults: ['duplicate', 'kill'],
    input: undefined,
    keep: true,
    console: true,
    broken: false,
    seconds: undefined,
    fix: undefined,
    json: true,
    verbose: true,
    help: true,
  })
  expect(readArguments(['--input', '-', '--faults', 'none'], 42)).toMatchObject({
    input: '-',
    faults: [],
  })
})

it('reads the options of the broken shop', () => {
  expect(readArguments(['--broken', '--seconds', '9'], 42)).toMatchObject({
    broken: true,
    seconds: 9,
  })
  expect(readArguments(['--fix', 'bank'], 42)).toMatchObject({ fix: 'bank' })
})

it.each([
  ['--mesages 3', 'expected --seed, --messages, .*; got --mesages'],
  ['three', 'expected --seed, .*; got three'],
  ['-x', 'expected --seed, .*; got -x'],
  ['--seed', '--seed: expected a value, got nothing'],
  ['--seed=', '--seed: expected a value, got nothing'],
  ['--seed -1', '--seed: expected a whole number from 0 to 4294967295, got "-1"'],
  ['--seed 4294967296', '--seed: expected a whole number .*, got "4294967296"'],
  ['--messages 0', '--messages: expected a whole number from 1 to 100000, got "0"'],
  ['--messages 1e3', '--messages: expected a whole number .*, got "1e3"'],
  ['--messages 100001', '--messages: expected .*, got "100001"'],
  ['--faults some', '--faults: expected all, none or some of duplicate,.*, got "some"'],
  ['--faults kill,', '--faults: expected .*, got ""'],
  ['--json=yes', '--json: expected no value, got "yes"'],
  ['--broken --seed 3', '--seed: expected not to be there beside --broken'],
  ['--seconds 3', '--seconds: expected --broken beside it'],
  [
    '--fix the-world',
    '--fix: expected bank or carrier or printer or deployment or throughput or mapping or tenant, got "the-world"',
  ],
  ['--input a --messages 3', '--messages: expected not to be there beside --input'],
])('refuses %s', (args, message) => {
  const reading = (): unknown => readArguments(args.split(' '), 42)
  expect(reading).toThrow(expect.objectContaining({ name: 'UsageError' }))
  expect(reading).toThrow(new RegExp(message))
})
