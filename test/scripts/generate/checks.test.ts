import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { problemsOf } from './support.ts';

const broken = `
@resource("widgets")
@keepsDeleted
model Widget {
  @visibility(Lifecycle.Read) id: Id;
  @references("gadgets") gadget_id?: Id | null;
  client_id: Id;
  client?: string | null;
  sort?: string | null;
  @notBefore("begin") end: DateTime;
  @derived("owner.company") owner: string;
  @gathered mood: string;
}

@@relation(Widget, "widgetClient", Client, #{ short: "client", from: "client_id", to: "id" });
@@relation(Widget, "widgetOwner", Client, #{ short: "keeper", from: "owner_id", to: "id" });
@@relation(Widget, "widgetTags", Contact, #{ short: "keeper", from: "id", to: "widget_id", many: true });

@resource("orphans")
model Orphan {
  @visibility(Lifecycle.Read) id: Id;
}

@serves(Widget)
interface Widgets extends List<Widget>, Read<Client> {}
`;

const cases: readonly (readonly [label: string, code: string, message: RegExp])[] = [
  ['a reference to an unknown resource', 'unknown-resource', /There is no resource gadgets/],
  ['a short name that is a field', 'taken-name', /widgetClient of Widget: client is a field of Widget/],
  ['a relation from a field that is not there', 'unknown-field', /widgetOwner of Widget: Widget has no field owner_id/],
  ['a relation to a field that is not there', 'unknown-field', /widgetTags of Widget: Contact has no field widget_id/],
  ['two relations of one name', 'taken-name', /keeper is a name of the relation widget/],
  ['a field with the name of a parameter', 'reserved-name', /sort is a parameter of every listing/],
  ['an order against a field that is not there', 'unknown-field', /Widget has no field begin/],
  ['a derived field by way of no relation', 'unknown-path', /owner\.company: Widget has no relation owner/],
  ['a gathered text', 'gathered-scalar', /mood is gathered, but no object or array/],
  ['kept records without a way to be inactive', 'never-inactive', /Widget keeps deleted records/],
  ['an operation of another resource', 'other-resource', /Widgets serves Widget, but its read is that of Client/],
  ['a resource without an interface', 'not-served', /No interface serves Orphan/],
];

describe('the generator refuses', () => {
  let problems: Awaited<ReturnType<typeof problemsOf>>;
  before(async () => {
    problems = await problemsOf(broken);
  });

  for (const [label, code, message] of cases) {
    it(label, () => {
      const found = problems.filter(problem => problem.code === code && message.test(problem.message));
      assert.equal(found.length, 1, problems.map(problem => `${problem.code}: ${problem.message}`).join('\n'));
    });
  }

  it('nothing else about that text', () => {
    assert.equal(problems.length, cases.length, problems.map(({ message }) => message).join('\n'));
  });

  it('what the compiler refuses', async () => {
    const [problem] = await problemsOf('model Broken { a: Nowhere }');
    assert.equal(problem?.code, 'invalid-ref');
  });
});

const nested = (decorator: string, body: string): string => `
@resource("gadgets")
model Gadget {
  @visibility(Lifecycle.Read) id: Id;
  @references("clients") client_id: Id;
  @references("contacts") contact_id: Id;
}

model GadgetPlace {
  @recordId @path gadget_id: Id;
}

model Elsewhere {
  @path gadget_id: Id;
}

model Plain {
  id: Id;
}

${decorator}
interface ClientsGadgets ${body}
`;

const under = (parent: string, segment: string, field: string): string =>
  `@servesUnder(${parent}, Gadget, "${segment}", "${field}")`;
const listed = 'extends NestedList<Gadget> {}';

const nestedCases: readonly (readonly [label: string, text: string, code: string, message: RegExp])[] = [
  [
    'a parent that is no resource',
    nested(under('Plain', 'gadgets', 'client_id'), listed),
    'unknown-resource',
    /Plain is no resource/,
  ],
  [
    'a field that the child has not',
    nested(under('Client', 'gadgets', 'owner_id'), listed),
    'unknown-field',
    /Gadget has no field owner_id/,
  ],
  [
    'a field that leads to another parent',
    nested(under('Client', 'gadgets', 'contact_id'), listed),
    'other-parent',
    /contact_id of Gadget refers to contacts, not to clients/,
  ],
  [
    'a segment that is no part of a path',
    nested(under('Client', 'my/Gadgets', 'client_id'), listed),
    'invalid-segment',
    /my\/Gadgets/,
  ],
  [
    'an operation of another resource',
    nested(under('Client', 'gadgets', 'client_id'), 'extends NestedList<Contact> {}'),
    'other-resource',
    /its list is that of Contact/,
  ],
  [
    'a create that is given another field',
    nested(under('Client', 'gadgets', 'client_id'), 'extends NestedCreate<Gadget, "contact_id"> {}'),
    'other-field',
    /its create contact_id/,
  ],
  [
    'a read without the id of its record',
    nested(under('Client', 'gadgets', 'client_id'), '{ read is nestedReading<Gadget, Elsewhere>; }'),
    'no-record-id',
    /read does not say/,
  ],
  [
    'an operation that is no verb',
    nested(under('Client', 'gadgets', 'client_id'), '{ @route("all") @get all(...RecordPath): Deleted; }'),
    'no-verb',
    /all is none of the five/,
  ],
];

describe('the generator refuses of nested resources', () => {
  for (const [label, text, code, message] of nestedCases) {
    it(label, async () => {
      const problems = await problemsOf(text);
      assert.ok(
        problems.some(problem => problem.code === code && message.test(problem.message)),
        JSON.stringify(problems),
      );
    });
  }

  it('nothing where all is as it should be, whatever the parent and the child', async () => {
    const whole = `extends NestedList<Gadget>, NestedRead<Gadget, GadgetPlace>, NestedCreate<Gadget, "client_id">,
      NestedUpdate<Gadget, GadgetPlace>, NestedDelete<GadgetPlace> {}`;
    assert.deepEqual(await problemsOf(nested(under('Client', 'gadgets', 'client_id'), whole)), []);
  });
});
