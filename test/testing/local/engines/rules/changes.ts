import {
  alternator,
  asks,
  at,
  dynalite,
  guide,
  type ITEM,
  KEY,
  moto,
  names,
  OTHER_KEY,
  refused,
  type Row,
  type Rule,
  taken,
  V,
  values,
} from './rule.ts'

const ALTERNATOR = alternator('update_expression')
const DYNALITE = dynalite('updateItem')
const RETURNED = alternator('returnvalues')

const change = (text: string, more: object, row: Row, Key: object = KEY): Rule =>
  asks(text, 'UpdateItem', { Key, UpdateExpression: text, ReturnValues: 'ALL_NEW', ...more }, row)

const ofMissing = (text: string, row: Row): Rule => ({
  ...change(text, {}, row, OTHER_KEY),
  rule: `${text}, of an item that is not there`,
})

const texts = ({ Attributes }: object & { readonly Attributes?: unknown }): string =>
  (Attributes as typeof ITEM).l.L.map(({ S }) => S).join()

const A = { S: 'a' }
const UNMET = { ConditionExpression: 'attribute_not_exists(p)' }

export const CHANGES: readonly Rule[] = [
  ofMissing('REMOVE n', {
    look: at('Attributes'),
    answers: undefined,
    source: 'scylladb/scylladb#5862',
    native: OTHER_KEY,
  }),
  ofMissing('REMOVE x.y', taken(ALTERNATOR)),
  change('REMOVE x.y', {}, refused(ALTERNATOR, 'accepted')),
  change('REMOVE n.y', {}, refused(ALTERNATOR, 'accepted')),
  change('REMOVE m.y', {}, taken('scylladb/scylladb#10043')),
  change('REMOVE l[7]', {}, taken(ALTERNATOR)),
  change('REMOVE m.a', {}, { look: at('Attributes.m'), answers: { M: {} }, source: ALTERNATOR }),
  change('REMOVE l[0]', {}, { look: at('Attributes.l'), answers: { L: [] }, source: ALTERNATOR }),
  // Functions
  change(
    'SET l = list_append(list_append(l, :v), :v)',
    values({ ':v': { L: [] } }),
    refused(ALTERNATOR, 'accepted'),
  ),
  change('SET l = list_append(l)', {}, refused(ALTERNATOR)),
  change('SET l = list_append(l, l, l)', {}, refused(ALTERNATOR)),
  change('SET l = LIST_APPEND(l, l)', {}, refused(ALTERNATOR, 'accepted')),
  change('SET l = list_append(l, n)', {}, refused(ALTERNATOR)),
  change('SET l = list_append(l, :v)', values(V), refused(ALTERNATOR)),
  change('SET n = if_not_exists(:v, :v)', values(V), refused(ALTERNATOR)),
  change('SET n = if_not_exists(if_not_exists(n, :v), :v)', values(V), refused(ALTERNATOR)),
  change('SET n = if_not_exists(n, :v + :v)', values(V), refused(ALTERNATOR)),
  change('SET z = if_not_exists(y, if_not_exists(x, :v))', values(V), taken(ALTERNATOR)),
  change('SET z = f(n)', {}, refused(ALTERNATOR)),
  change('SET z = if_not_exists(z, :v) + :v', values(V), {
    look: at('Attributes.z.N'),
    answers: '2',
    source: ALTERNATOR,
  }),
  change('SET l = list_append(if_not_exists(l, :v), :v)', values({ ':v': { L: [{ S: 'y' }] } }), {
    look: texts,
    answers: 'x,y',
    source: ALTERNATOR,
  }),
  change('SET l[9] = :b, l[5] = :a', values({ ':a': A, ':b': { S: 'b' } }), {
    look: texts,
    answers: 'x,a,b',
    source: guide('Expressions.UpdateExpressions'),
    native: 'x,,,,,a,,,,b',
  }),
  change('SET n = (n + :v)', values(V), {
    look: at('Attributes.n.N'),
    answers: '2',
    source: DYNALITE,
  }),
  change('SET n = (if_not_exists(n, :z) + :v)', values({ ...V, ':z': { N: '0' } }), {
    look: at('Attributes.n.N'),
    answers: '2',
    source: DYNALITE,
  }),
  change('SET n = :v + :v + :v', values(V), refused(ALTERNATOR)),
  // Paths
  change('SET z = y', {}, refused(ALTERNATOR)),
  change('SET x = :v, y = x', values(V), refused(ALTERNATOR)),
  change('SET n = n', {}, taken(ALTERNATOR)),
  change('SET x.c = :v', values(V), refused(ALTERNATOR)),
  change('SET n.c = :v', values(V), refused(ALTERNATOR)),
  change('SET m[0] = :v', values(V), refused(ALTERNATOR)),
  change('SET l.c = :v', values(V), refused(ALTERNATOR)),
  change('SET l[:v] = :v', values(V), refused(ALTERNATOR)),
  change(
    'REMOVE n SET z = n',
    {},
    {
      look: at('Attributes.z.N'),
      answers: '1',
      source: ALTERNATOR,
    },
  ),
  change('SET l[3] = :v REMOVE l[0]', values({ ':v': A }), {
    look: texts,
    answers: 'a',
    native: ',,a',
    source: ALTERNATOR,
  }),
  // Words and signs
  change('set z = :v', values(V), taken(ALTERNATOR)),
  change('SET _z = :v', values(V), refused(ALTERNATOR, 'accepted')),
  change('SET 1z = :v', values(V), refused(ALTERNATOR)),
  change('SET z-y = :v', values(V), refused(ALTERNATOR)),
  change('SET "z" = :v', values(V), refused(ALTERNATOR)),
  change('SET :v = :v', values(V), refused(ALTERNATOR)),
  change('SET #1 = :v', { ...values(V), ...names({ '#1': 'z' }) }, taken(ALTERNATOR)),
  change('SET #z-y = :v', { ...values(V), ...names({ '#z-y': 'z' }) }, refused(ALTERNATOR)),
  change('SET # = :v', { ...values(V), ...names({ '#': 'z' }) }, refused(ALTERNATOR)),
  change('SET z = :', values({ ':': A }), refused(ALTERNATOR)),
  change('HELLO z = :v', values(V), refused(ALTERNATOR)),
  change('', {}, refused(moto('test_dynamodb'))),
  change('SET y = :v SET z = :v', values(V), refused(ALTERNATOR)),
  change('SET size = :v', values(V), refused(DYNALITE)),
  change('SET z = :w', values(V), refused(ALTERNATOR)),
  change('SET z = :v', values({ ...V, ':w': A }), refused(ALTERNATOR)),
  change('SET #z = :v', { ...values(V), ...names({ '#z': 'z', '#y': 'y' }) }, refused(ALTERNATOR)),
  // Two paths of one change
  change('REMOVE n SET n = :v', values(V), refused(ALTERNATOR)),
  change(
    'SET #a = :v, #b = :v',
    { ...values(V), ...names({ '#a': 'n', '#b': 'n' }) },
    refused(ALTERNATOR),
  ),
  change('SET m = :v, m.a = :v', values(V), refused(ALTERNATOR)),
  change(
    'SET m.b = :v, m[1] = :v',
    { ...values(V), ...UNMET },
    refused(DYNALITE, 'ConditionalCheckFailedException'),
  ),
  // Keys
  change('SET p = :v', values({ ':v': A }), refused(ALTERNATOR)),
  change('REMOVE c', {}, refused(ALTERNATOR)),
  change('ADD c :v', values(V), refused(ALTERNATOR)),
  // Types. What is wrong with a literal is found before the condition is asked.
  change('SET n = n + :v', { ...values({ ':v': A }), ...UNMET }, refused(DYNALITE)),
  change('SET l = list_append(:v, l)', { ...values({ ':v': A }), ...UNMET }, refused(DYNALITE)),
  change('SET l = l + :v', values(V), refused(DYNALITE)),
  change('ADD n :v', values({ ':v': A }), refused(ALTERNATOR)),
  change('ADD g :v', values(V), refused(ALTERNATOR)),
  change('ADD l :v', values({ ':v': { L: [A] } }), refused(ALTERNATOR)),
  change('ADD s :v', values({ ':v': { NS: ['1'] } }), refused(DYNALITE)),
  change('ADD z :v', values(V), { look: at('Attributes.z.N'), answers: '1', source: ALTERNATOR }),
  change('DELETE n :v', values(V), refused(DYNALITE)),
  change('DELETE z :v', values({ ':v': { SS: ['x'] } }), taken(ALTERNATOR)),
  change('DELETE s :v', values({ ':v': { SS: ['x', 'y'] } }), {
    look: at('Attributes.s'),
    answers: undefined,
    source: moto('test_dynamodb'),
  }),
  change('SET g = :v', values(V), refused(alternator('gsi'))),
  change('SET  g = :v', values({ ':v': { S: '' } }), refused(alternator('gsi'))),
  // What is returned
  change(
    'SET m.b = :v',
    { ...values({ ':v': A }), ReturnValues: 'UPDATED_NEW' },
    {
      look: at('Attributes'),
      answers: { m: { M: { b: A } } },
      source: RETURNED,
    },
  ),
  change(
    'REMOVE n, new',
    { UpdateExpression: 'REMOVE n', ReturnValues: 'UPDATED_NEW' },
    {
      look: at('Attributes'),
      answers: undefined,
      source: RETURNED,
    },
  ),
  change(
    'SET z = :v, old',
    { ...values(V), UpdateExpression: 'SET z = :v', ReturnValues: 'UPDATED_OLD' },
    {
      look: at('Attributes'),
      answers: undefined,
      source: RETURNED,
    },
  ),
  change(
    'SET n = :v, dog',
    { ...values(V), UpdateExpression: 'SET n = :v', ReturnValues: 'DOG' },
    refused(RETURNED),
  ),
  change(
    'SET n = :v, in small letters',
    { ...values(V), UpdateExpression: 'SET n = :v', ReturnValues: 'all_old' },
    refused(RETURNED),
  ),
  asks(
    'a put that returns what it has put',
    'PutItem',
    { Item: KEY, ReturnValues: 'ALL_NEW' },
    refused(RETURNED),
  ),
  asks(
    'a deletion that returns what it changed',
    'DeleteItem',
    { Key: KEY, ReturnValues: 'UPDATED_OLD' },
    refused(RETURNED),
  ),
  asks(
    'an update of nothing',
    'UpdateItem',
    { Key: OTHER_KEY, ReturnValues: 'ALL_NEW' },
    {
      look: at('Attributes'),
      answers: OTHER_KEY,
      source: DYNALITE,
    },
  ),
  change(
    'SET n = :v, and the item that refused',
    {
      ...values(V),
      ...UNMET,
      UpdateExpression: 'SET n = :v',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    { look: at('Item.n.N'), answers: '1', source: RETURNED },
  ),
]
