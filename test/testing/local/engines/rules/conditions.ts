import {
  alternator,
  asks,
  countOf,
  dynalite,
  guide,
  ITEM,
  KEY,
  moto,
  names,
  refused,
  type Row,
  type Rule,
  taken,
  V,
  values,
} from './rule.ts'

const ALTERNATOR = alternator('condition_expression')
const DYNALITE = dynalite('scan')
const OPERATORS = guide('Expressions.OperatorsAndFunctions')

const unmet = (source: string, native?: unknown): Row => ({
  answers: 'ConditionalCheckFailedException',
  source,
  ...(native !== undefined && { native }),
})

/** Of a put of the same item. */
const condition = (text: string, more: object, row: Row): Rule =>
  asks(text, 'PutItem', { Item: ITEM, ConditionExpression: text, ...more }, row)

const filter = (text: string, more: object, row: Row): Rule =>
  asks(`the filter ${text}`, 'Scan', { FilterExpression: text, ...more }, row)

const X = { ':v': { S: 'x' } }
const many = (count: number): object => {
  const all = Array.from({ length: count }, (_, nth) => `:v${nth}`)
  return {
    FilterExpression: `n IN (${all.join(', ')})`,
    ...values(Object.fromEntries(all.map((each, nth) => [each, { N: String(nth) }]))),
  }
}

export const CONDITIONS: readonly Rule[] = [
  // Attributes that are not there
  condition('q = z', {}, unmet(ALTERNATOR)),
  condition('q <> z', {}, taken(ALTERNATOR)),
  condition('q < z', {}, unmet(ALTERNATOR)),
  condition('q <> :v', values(V), taken(ALTERNATOR)),
  condition('NOT q = :v', values(V), taken(ALTERNATOR)),
  condition('attribute_exists(m.a)', {}, taken(ALTERNATOR)),
  condition('attribute_exists(m[0])', {}, unmet(ALTERNATOR)),
  condition('m.z < l[100]', {}, unmet(ALTERNATOR)),
  // Types
  condition('n < :v', values(X), unmet(ALTERNATOR)),
  condition('n = :v', values(X), unmet(ALTERNATOR)),
  condition(
    'n < :l',
    values({ ':l': { L: [] } }),
    refused(ALTERNATOR, 'ConditionalCheckFailedException'),
  ),
  condition('s = :v', values({ ':v': { SS: ['y', 'x'] } }), taken(ALTERNATOR)),
  condition('n = :v AND p = :p', values({ ':v': { N: '1.00' }, ':p': KEY.p }), taken(ALTERNATOR)),
  condition('begins_with(n, :v)', values(X), unmet(ALTERNATOR)),
  condition('begins_with(g, :v)', values(V), refused(ALTERNATOR)),
  condition('contains(s, :v)', values(X), taken(ALTERNATOR)),
  condition('contains(g, :v)', values(V), unmet(ALTERNATOR)),
  condition('contains(l, :v)', values(X), taken(ALTERNATOR)),
  condition('attribute_type(n, g)', {}, refused(ALTERNATOR, 'ConditionalCheckFailedException')),
  condition('attribute_exists(:v)', values(V), refused(DYNALITE)),
  filter('attribute_type(n, :v)', values({ ':v': { S: 'DOG' } }), refused(DYNALITE, 'accepted')),
  filter('n <> n', {}, refused(DYNALITE, 'accepted')),
  filter('contains(l, l)', {}, refused(DYNALITE)),
  // Ranges
  condition(
    'n BETWEEN :b AND :a',
    values({ ':a': { N: '1' }, ':b': { N: '2' } }),
    refused(ALTERNATOR),
  ),
  condition(
    'n BETWEEN :a AND :b',
    values({ ':a': { N: '1' }, ':b': { S: '2' } }),
    refused(ALTERNATOR),
  ),
  condition('n BETWEEN :v AND :v AND attribute_exists(g)', values(V), taken(ALTERNATOR)),
  asks('100 operands of IN', 'Scan', many(100), { look: countOf, answers: 1, source: OPERATORS }),
  asks('101 operands of IN', 'Scan', many(101), refused(OPERATORS, 'accepted')),
  // size
  condition('size(n) = :v', values(V), unmet(ALTERNATOR)),
  condition('size(m) = :v', values(V), taken(ALTERNATOR)),
  condition('size(size(g)) = :v', values(V), refused(ALTERNATOR)),
  condition('size(:v) = :v', values(V), refused(ALTERNATOR)),
  condition('size(g, g) = :v', values(V), refused(ALTERNATOR)),
  condition('size(g)', {}, refused(ALTERNATOR)),
  filter('(size(l)) = :v', values(V), {
    look: countOf,
    answers: 1,
    source: DYNALITE,
    native: undefined,
  }),
  // Functions at the wrong place
  condition('attribute_exists(n) < :v', values(V), refused(ALTERNATOR)),
  condition('dog(n) = :v', values(V), refused(ALTERNATOR)),
  condition('if_not_exists(n, n) = :v', values(V), refused(ALTERNATOR)),
  condition(
    'BEGINS_WITH(g, :v)',
    values(X),
    refused(alternator('key_condition_expression'), 'ConditionalCheckFailedException'),
  ),
  condition('attribute_exists(n, g)', {}, refused(DYNALITE)),
  // How it is read
  condition('attribute_exists(n) OR q = n AND q = n', {}, taken(ALTERNATOR)),
  condition('NOT attribute_exists(n) AND q = n', {}, unmet(ALTERNATOR)),
  condition('nOt NOT attribute_exists(n)', {}, taken(ALTERNATOR)),
  condition('(n <> l)', {}, taken(ALTERNATOR)),
  condition('((n <> l))', {}, refused(ALTERNATOR)),
  condition('n = :v AND', values(V), refused(DYNALITE)),
  condition('', {}, refused(ALTERNATOR)),
  condition('attribute_exists(n) OR #q = n', {}, refused(ALTERNATOR, 'accepted')),
  condition('attribute_exists(status)', {}, refused(DYNALITE)),
  // Names and values: what is not used is found before the condition is asked
  condition('n = :w', values(V), refused(ALTERNATOR)),
  condition(
    'q = :v',
    values({ ...V, ':w': KEY.p }),
    refused(ALTERNATOR, 'ConditionalCheckFailedException'),
  ),
  condition(
    'q = #q',
    names({ '#q': 'q', '#r': 'r' }),
    refused(moto('exceptions/test_dynamodb_exceptions'), 'ConditionalCheckFailedException'),
  ),
  asks(
    'values, and no expression',
    'PutItem',
    { Item: KEY, ...values(V) },
    refused(alternator('item')),
  ),
  asks(
    'names, and no expression',
    'GetItem',
    { Key: KEY, ...names({ '#q': 'q' }) },
    refused(alternator('item')),
  ),
  condition(
    'n = :v, of no values',
    { ConditionExpression: 'n = n', ...values({}) },
    refused(dynalite('putItem')),
  ),
  asks(
    'no names',
    'Scan',
    { FilterExpression: 'n = g', ...names({}) },
    refused(moto('exceptions/test_dynamodb_exceptions')),
  ),
]
