import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Problem, problemsOf } from '../support.ts';

const nested = (decorator: string, body: string): string => `
/** A gadget. */
@resource("gadgets")
@example(#{ id: 1, client_id: 1, contact_id: 1 })
model Gadget {
  /** Its id. */
  @visibility(Lifecycle.Read) id: Id;

  /** Its client. */
  @references("clients") client_id: Id;

  /** Its contact. */
  @references("contacts") contact_id: Id;
}

/** Which gadget. */
model GadgetPlace {
  /** Its id. */
  @recordId @path gadget_id: Id;
}

/** Which gadget, somewhere else. */
model Elsewhere {
  /** Its id. */
  @path gadget_id: Id;
}

/** Something plain. */
model Plain {
  /** Its id. */
  id: Id;
}

${decorator}
interface ClientsGadgets ${body}
`;

const under = (parent: string, segment: string, field: string): string =>
  `@servesUnder(${parent}, Gadget, "${segment}", "${field}")`;
const listed = 'extends NestedList<Gadget> {}';

const cases: readonly (readonly [label: string, text: string, code: string, message: RegExp])[] = [
  [
    'a parent that is not a resource',
    nested(under('Plain', 'gadgets', 'client_id'), listed),
    'not-a-resource',
    /Plain must be a resource/,
  ],
  [
    'a field that the child does not have',
    nested(under('Client', 'gadgets', 'owner_id'), listed),
    'unknown-field',
    /Gadget has no field owner_id/,
  ],
  [
    'a field that refers to another resource than the parent',
    nested(under('Client', 'gadgets', 'contact_id'), listed),
    'other-parent',
    /Gadget.contact_id must refer to clients, but refers to contacts/,
  ],
  [
    'an invalid path segment',
    nested(under('Client', 'my/Gadgets', 'client_id'), listed),
    'invalid-segment',
    /my\/Gadgets/,
  ],
  [
    'an operation of another resource',
    nested(under('Client', 'gadgets', 'client_id'), 'extends NestedList<Contact> {}'),
    'other-resource',
    /its operation list belongs to Contact/,
  ],
  [
    'a create that names another field',
    nested(under('Client', 'gadgets', 'client_id'), 'extends NestedCreate<Gadget, "contact_id"> {}'),
    'other-field',
    /create names contact_id/,
  ],
  [
    'a read without a parameter for the id of its record',
    nested(under('Client', 'gadgets', 'client_id'), '{ read is nestedReading<Gadget, Elsewhere>; }'),
    'no-record-id',
    /read needs a parameter with the id of its record/,
  ],
  [
    'an operation that is not a verb',
    nested(under('Client', 'gadgets', 'client_id'), '{ /** All. */ @route("all") @get all(...RecordPath): Deleted; }'),
    'no-verb',
    /all must be one of the five verbs/,
  ],
];

/** Returns a text with other names for its models and its resource, so that several of it are in one spec. */
const numbered = (text: string, index: number): string =>
  text.replaceAll(/adget|Plain|Elsewhere/g, name => `${name}${String.fromCharCode(97 + index)}`);

describe('the generator reports in nested resources', () => {
  let problems: readonly Problem[];
  before(async () => {
    // All of them at once: the generator compiles the whole spec each time.
    problems = await problemsOf(cases.map(([, text], index) => numbered(text, index)).join('\n'));
  });

  for (const [index, [label, , code, message]] of cases.entries()) {
    it(label, () => {
      const own = new RegExp(numbered(message.source, index));
      assert.ok(
        problems.some(problem => problem.code === `staffing/${code}` && own.test(problem.message)),
        JSON.stringify(problems),
      );
    });
  }

  it('no problem in a valid interface', async () => {
    const whole = `extends NestedList<Gadget>, NestedRead<Gadget, GadgetPlace>, NestedCreate<Gadget, "client_id">,
      NestedUpdate<Gadget, GadgetPlace>, NestedDelete<GadgetPlace> {}`;
    assert.deepEqual(await problemsOf(nested(under('Client', 'gadgets', 'client_id'), whole)), []);
  });
});
