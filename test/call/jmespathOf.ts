import { search } from '@aws-lambda-powertools/jmespath'
import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions'
import type { Expression } from 'lineclear'
import { jmespath } from 'lineclear/middy'

export const LIBRARY = { search, customFunctions: new PowertoolsFunctions() }

export function jmespathOf(expression: string): Expression {
  return jmespath(expression, LIBRARY)
}
