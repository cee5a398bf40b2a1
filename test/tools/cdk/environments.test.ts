import {
  LineclearCall,
  LineclearConsumer,
  LineclearFlow,
  LineclearSweeper,
  LineclearTable,
} from 'lineclear/cdk'
import { expect, it } from 'vitest'
import { collisionsOf } from '../../../src/tools/doctor/rules/environments.ts'
import { fromTemplate } from '../doctor/from.ts'
import { ENTRY, functionIn, newStack, templateOf } from './stacks.ts'

/** One application, with the defaults of its constructs. */
function shop(stage: string, tableName?: string) {
  const stack = newStack(`Shop-${stage}`)
  const alarmEmail = 'oncall@example.com'
  const table = new LineclearTable(stack, 'Table', { alarmEmail, ...(tableName && { tableName }) })
  new LineclearSweeper(stack, 'Sweeper', { table })
  new LineclearConsumer(stack, 'orders', { table, entry: ENTRY })
  new LineclearCall(stack, 'refunds', { table, entry: ENTRY })
  return fromTemplate(templateOf(stack))
}

it('two stacks in one account share no name and no alarm', () => {
  const [dev, prod] = [shop('dev'), shop('prod')]
  expect(prod.names.map(({ name }) => name)).toContain('Shop-prod-lineclear')
  expect(collisionsOf(prod, dev)).toEqual([])
})

it('with one name for both tables the doctor says so', () => {
  const found = collisionsOf(shop('prod', 'lineclear'), shop('dev', 'lineclear'))
  expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([['same-name', 'error']])
  expect(found[0]?.problem).toMatch(/^Its name lineclear is also that of Table/)
})

it('the environment of a flow is all that an API which starts it needs: also the table', () => {
  const stack = newStack()
  const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
  const trip = new LineclearFlow(stack, 'trip', {
    table,
    entry: ENTRY,
    stages: { ask: {} },
    answers: { said: {} },
  })
  functionIn(stack, 'Api', { environment: trip.environment })
  const made = Object.values(templateOf(stack).Resources).filter(
    ({ Type }) => Type === 'AWS::Lambda::Function',
  )
  const environments = made.map(({ Properties }) => Properties['Environment'])
  const environment = {
    Variables: {
      ASK_QUEUE: expect.anything(),
      SAID_QUEUE: expect.anything(),
      LINECLEAR_TABLE: { Ref: expect.stringContaining('Table') },
    },
  }
  expect(environments).toEqual([environment, environment, environment])
})
