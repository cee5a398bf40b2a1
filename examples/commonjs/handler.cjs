const { recordHandler } = require('lineclear')
const { dynamoDbStore } = require('lineclear/dynamodb')
const { z } = require('zod')

const schema = z.object({ page: z.string() })
const store = dynamoDbStore({ tableName: 'lineclear' })

exports.handler = recordHandler({ name: 'visits', store, schema }, async ({ page }, ctx) => {
  await ctx.write('count', { TableName: 'visits', Key: { page }, add: { count: 1 } })
})
