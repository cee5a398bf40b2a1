import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'store',
    protections: [
      {
        file: 'condition.ts',
        protects: 'a mark that is set is seen',
        text: "if ('lacks' in condition) return found === undefined || !contains(found, condition.lacks)",
        without: "if ('lacks' in condition) return true",
        tests: ['test/store/condition'],
      },
      {
        file: 'condition.ts',
        protects: 'values of two types are never equal',
        text: 'one === other || canonical(one) === canonical(other)',
        without: 'String(one) === String(other)',
        tests: ['test/store/condition'],
      },
      {
        file: 'retries.ts',
        protects: 'retries end',
        text: 'if (tries >= answer.tries) return failed(answer)',
        without: 'if (tries >= 1_000) return failed(answer)',
        tests: ['test/store/conflicts', 'test/store/faults'],
      },
      {
        file: 'coalesce.ts',
        protects: 'each request gets its own outcome',
        text: 'const outcome = outcomes[index]',
        without: 'const outcome = outcomes[0]',
        tests: ['test/store/coalesce'],
      },
      {
        file: 'validateWrite.ts',
        protects: 'one bad entry does not fail its whole call',
        text: "wrongKeyText('pk', pk, partitionKeyBytes) ??",
        tests: ['test/store/contract', 'test/store/memory'],
      },
    ],
  },
  {
    room: 'store/wire',
    tests: ['test/store/condition', 'test/store/statement', 'test/store/requests', 'test/store'],
    protections: [
      {
        file: 'expression.ts',
        protects: 'a missing attribute differs from every value in both dialects',
        text: "condition.is === '<>' ? `(${dialect.absent(name)} OR ${comparison})` :",
      },
      {
        file: 'expression.ts',
        protects: 'alternatives stay together',
        text: '`(${texts.join(by)})`',
        without: 'texts.join(by)',
      },
      {
        file: 'expression.ts',
        protects: 'a write carries its conditions',
        text: 'ConditionExpression: condition || undefined',
        without: 'ConditionExpression: undefined',
      },
    ],
  },
  {
    room: 'store/memory',
    tests: ['test/store/memory', 'test/store/conflicts', 'test/store/contract', 'test/store'],
    protections: [
      {
        file: 'ownItems.ts',
        protects: 'an update never creates an item',
        text: 'item === undefined || !update.where.every((condition) => holds(condition, item))',
        without: 'item !== undefined && !update.where.every((condition) => holds(condition, item))',
      },
      {
        file: 'transact.ts',
        protects: 'two transactions on one item do not run at once',
        text: 'for (const place of places) busy.add(place)',
      },
    ],
  },
  {
    room: 'store/dynamodb',
    tests: ['test/store/requests', 'test/store/faults', 'test/store/consistency', 'test/store'],
    protections: [
      {
        file: 'write.ts',
        protects: 'a claim does not replace another one',
        text: "ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' },",
      },
      {
        file: 'write.ts',
        protects: 'the item that refused a write comes with the refusal',
        text: "ExpressionAttributeNames: { '#pk': 'pk' }, ReturnValuesOnConditionCheckFailure: 'ALL_OLD',",
        without: "ExpressionAttributeNames: { '#pk': 'pk' },",
      },
      {
        file: 'write.ts',
        protects: 'the item that refused a write is read consistently',
        text: 'readItems(table, entries.map(key), true)',
        without: 'readItems(table, entries.map(key), false)',
      },
      {
        file: 'write.ts',
        protects: 'writes of one key are made in their order',
        text: "seen.size > before ? 'first' : 'later'",
        without: "'first'",
      },
      {
        file: 'transact.ts',
        protects: 'a transaction whose answer was lost is not made twice',
        text: ', ClientRequestToken: randomUUID()',
      },
      {
        file: 'transact.ts',
        protects: 'a collision is not taken for a refusal',
        text: 'if (!isFine(claimed))',
        without: 'if (false)',
      },
      {
        file: 'transact.ts',
        protects: 'a claim that is lost comes before what the writes say',
        text: 'if (isRefused(claimed)) {',
        without: 'if (false) {',
      },
      {
        file: 'fast/writeMany.ts',
        protects: 'a statement without an answer is not taken for made',
        text: 'response ?? NO_RESPONSE',
        without: 'response ?? ({} as typeof NO_RESPONSE)',
      },
      {
        file: 'fast/place.ts',
        protects: 'one variable turns the calls without the SDK off',
        text: "env['LINECLEAR_FAST_PATH'] !== 'false' &&",
      },
      {
        file: 'fast/place.ts',
        protects: 'what changes how the SDK calls keeps the calls with it',
        text: '!OF_THE_SDK.some((name) => isSet(name) || isSet(name.toLowerCase())) &&',
      },
      {
        file: 'fast/place.ts',
        protects: 'a tracer that is loaded at the start sees all calls',
        text: "&& !LOADS_MORE.test(env['NODE_OPTIONS'] ?? '')",
      },
      {
        file: 'dynamoDbStore.ts',
        protects: 'a client of the user’s gets all calls',
        text: 'fastPath && client === undefined &&',
        without: 'fastPath &&',
      },
      {
        file: 'fast/leanCalls.ts',
        protects: 'half an answer to a batch is none',
        text: 'responses.length === input.Statements?.length',
        without: 'true',
      },
      {
        file: 'fast/leanCalls.ts',
        protects: 'an error is no answer',
        text: 'return status === 200 && isWhole(',
        without: 'return isWhole(',
      },
      {
        file: 'fast/leanCalls.ts',
        protects: 'an answer that is not clean is followed by a call through the SDK',
        text: 'if (answer === undefined) {',
        without: 'if (answer === undefined) { throw new Error()',
      },
      {
        file: 'fast/leanCalls.ts',
        protects: 'bytes of the user’s are sent as DynamoDB reads them',
        text: 'own instanceof Uint8Array',
        without: 'false',
      },
      {
        file: 'fast/post.ts',
        protects: 'a kept connection that was closed costs no call through the SDK',
        text: 'if (!first.request.reusedSocket || !isReset(error)) throw error',
        without: 'throw error',
      },
      {
        file: 'fast/signature.ts',
        protects: 'the key is derived anew when credentials change',
        text: 'if (last?.secret !== secret || last.scope !== scope) {',
        without: 'if (last === undefined) {',
      },
      {
        file: 'read.ts',
        protects: 'a key that was not processed is not taken for missing',
        text: 'unread.has(addressOf(key))',
        without: 'false',
      },
      {
        file: 'calls/failure.ts',
        protects: 'a client without a Region says so',
        text: '/Region is missing/.test(textOf(cause))',
        without: 'false',
      },
    ],
  },
  {
    room: 'features/sql',
    tests: [
      'test/features/sql/effects',
      'test/features/sql/withoutPostgres',
      'test/features/sql/gate',
      'test/features/sql/lostConnection',
    ],
    protections: [
      {
        file: 'effects.ts',
        protects: 'an attempt of an earlier epoch is refused in the model of the gate',
        text: 'row.epoch > epoch ||',
      },
      {
        file: 'effects.ts',
        protects: 'an attempt that was overtaken does not begin',
        text: "(await rows.raise(attempt)) === 'superseded'",
        without: 'false',
      },
      {
        file: 'effects.ts',
        protects: 'an attempt that was overtaken commits nothing',
        text: "case 'superseded': throw superseded(attempt)",
        without: "case 'superseded':",
        tests: ['test/features/sql/fence'],
      },
      {
        file: 'effects.ts',
        protects: 'an effect that was made is not made again',
        text: "case 'made': return rows.result(attempt, name)",
        without: "case 'made':",
      },
      {
        file: 'effects.ts',
        protects: 'a function that commits by itself is found out',
        text: 'if (await rows.keep(attempt, name, kept.text)) return kept.text',
        without: 'await rows.keep(attempt, name, kept.text)\n  return kept.text',
      },
      {
        file: 'pool.ts',
        protects: 'a transaction that was rolled back is not taken for committed',
        text: "if (command !== 'COMMIT') throw rolledBack()",
        tests: ['test/features/sql/rolledBack'],
      },
      {
        file: 'pool.ts',
        protects: 'a query after the end does not reach another transaction',
        text: 'if (!isOpen) throw tooLate()',
        tests: ['test/features/sql/clients.test', 'test/features/sql'],
      },
      {
        file: 'transact.ts',
        protects: 'a lost COMMIT is tried again a few times only',
        text: 'failures.lost > MOST_LOST',
        without: 'failures.lost > 1_000',
      },
      {
        file: 'setUpError.ts',
        protects: 'a broken connection is not an error of the function',
        text: "brokeOff(error) ? 'lost' : 'own'",
        without: "false ? 'lost' : 'own'",
      },
    ],
  },
]

export default rooms
