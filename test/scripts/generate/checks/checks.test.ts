import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Problem, problemsOf, problemsWith, withChanges } from '../support.ts';

/** A spec with mistakes: each line that has some ends with their codes. */
const broken = `
/** A widget. */
@resource("widgets")
@keepsDeleted
@derivedFrom("gadgets")
@needsScopesOf("gizmos")
@readOwn("api_user_id", "client_id")
@example(#{ id: 1, client_id: 1, end: DateTime.fromISO("2026-06-12T14:00:00Z"), owner: "A", mood: "B", secret: "C" })
model Widget { // never-inactive unknown-resource unknown-resource unknown-field unknown-field unknown-field taken-name taken-name taken-name taken-name taken-name other-type
  /** Its id. */
  @visibility(Lifecycle.Read) id: Id;

  @references("gadgets") gadget_id?: Id | null; // undocumented unknown-resource

  /** Its picture. */
  @references("files", "picture") picture?: Name | null; // unknown-field

  /** Its secret. */
  @sensitive(SensitiveCategory.pay) secret: Name; // sensitive-required

  /** Its maker. */
  @referencesOneOf("kind", #{ a: "clients", b: "gadgets" }) maker_id?: Id | null; // unknown-field unknown-resource

  /** Its client. */
  client_id: Id;

  /** Its client's name. */
  client?: string | null;

  /** Its order. */
  sort?: string | null; // reserved-name

  /** Its end. */
  @notBefore("begin") end: DateTime; // unknown-field

  /** Its pause. */
  @inheritsFrom("gadgets") @notBefore("client") pause?: DateTime | null; // other-type unknown-resource

  /** Its owner. */
  @derived("owner.company") owner: string; // unknown-path

  /** Its mood. */
  @derivedFrom("gadgets") @computed mood: string; // unknown-resource

  /** Its title. */
  @firstOf("title_id", "client", "client_id") @computed title?: string | null; // unknown-field other-type

  /** Its shape. */
  @computedBy("shape_of", "form", "id") @computed shape?: string | null; // unknown-field

  /** Its parts. */
  parts?: bytes | null; // no-column
}

@@relation(Widget, "widgetClient", Client, #{ short: "client", from: "client_id", to: "id" });
@@relation(Widget, "widgetOwner", Client, #{ short: "keeper", from: "owner_id", to: "id" });
@@relation(Widget, "widgetTags", Contact, #{ short: "keeper", from: "id", to: "widget_id", many: true });
@@relation(Widget, "widgetMaker", Client, #{ short: "widget-maker", from: "client_id", to: "id" });
@@relation(Widget, "widget_owner", Client, #{ short: "seller", from: "client_id", to: "id" });
@@relation(Widget, "widgetName", Client, #{ short: "Mood", from: "client", to: "id" });

/** An orphan. */
@resource("Orphans")
@inactiveWhen("status", 7)
model Orphan { // invalid-name no-id unknown-value not-served no-example
  /** Its status. */
  status?: ActiveStatus;
}

/** An heir. */
@resource("widgets")
@inactiveWhen("state", true)
@example(#{ id: 1 })
model Heir { // taken-name unknown-field not-served
  /** Its id. */
  id: Id; // writable-id
}

/** How to spin. */
model Spin { // no-example
  turns: int32; // undocumented
}

/** Widgets. */
@serves(Widget)
interface Widgets extends List<Widget>, Read<Client> { // other-resource
  /** Lists what is over. */
  @summary("List old widgets")
  @route("over")
  @predefinedListing("begin=now&sort=-id,name")
  over is listing<Widget>; // unknown-field unknown-field

  /** Spins one. */
  #deprecated "Do not."
  @summary("Spin a widget")
  @route("{id}/spin")
  @put
  spin(...RecordPath, @body spin: Spin): Updated<Widget> | WriteProblems; // no-deprecation-date undocumented

  /** Stops one. */
  @summary("Stop a widget")
  @route("{id}/stop")
  stop(...RecordPath, @body moment: DateTime): Updated<Widget> | WriteProblems; // no-dry-run undocumented

  /** Sells one. */
  @summary("Sell a widget")
  @route("{id}/sale")
  @post
  sell(...RecordPath, @header dry_run?: FlagInput): Updated<Widget> | WriteProblems; // no-dry-run undocumented

  /** Broke one. */
  @summary("Break a widget")
  @route("{id}/breakage")
  @withdrawn
  @post
  break(...RecordPath): Updated<Widget> | WriteProblems;
}

@serves(Widget)
interface MoreWidgets { // undocumented
  /** Spins one, otherwise. */
  #deprecated "Do not."
  @summary("Turn a widget")
  @deprecatedSince("soon", "/widgets")
  @route("{id}/turn")
  @put
  spin(...RecordPath): Updated<Widget> | WriteProblems; // taken-name invalid-date
}

enum Mood { // undocumented
  good, // undocumented
}
`;

const wantedOf = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, index) => {
    const [, codes = ''] = line.split(' // ');
    return codes.split(' ').flatMap(code => (code ? `${index + 5} staffing/${code}` : []));
  });

describe('the generator reports', () => {
  it('each mistake of a spec that compiles, with its line', async () => {
    const problems = await problemsOf(broken);
    const own = problems.filter(({ at }) => at.startsWith('more.tsp'));
    const found = own.map(({ at, code }) => `${at.slice('more.tsp:'.length)} ${code}`);
    assert.deepEqual(found.toSorted(), wantedOf(broken).toSorted(), problems.map(line).join('\n'));
  });

  describe('in one spec', () => {
    let compiler: readonly Problem[];
    let changed: readonly Problem[];
    before(async () => {
      // Together: the generator compiles the whole spec each time.
      compiler = await problemsOf(
        'model Broken { a: Nowhere }\n/** A robot. */\n@needsModule(Module.robots)\nmodel Robot {}',
      );
      const errors = 'conventions/errors.tsp';
      changed = await problemsWith(
        withChanges([
          [errors, `@problem(400, "The sort order is not valid.")`, ''],
          [errors, '@problem(401, "The token has', '@problem(299, "The token has'],
          ['conventions/field-errors.tsp', '@fieldProblem("A value is required.")', ''],
          ['resources/automation-triggers.tsp', '`checkin.created`: #{ resource: "checkins" },', ''],
          ['resources/automation-triggers.tsp', '#{ resource: "events" }', '#{ resource: "gadgets" }'],
          ['resources/automation-routines.tsp', '`function.lock`: #["event-functions"],', ''],
          ['resources/automation-routines.tsp', '#["assignments"]', '#["gizmos"]'],
        ]),
      );
    });
    const changedIn = (file: RegExp): readonly Problem[] => changed.filter(({ at }) => file.test(at));

    it('errors of the compiler', () => {
      assert.equal(compiler.length, 2);
      assert.deepEqual([compiler[0]?.code, compiler[0]?.at], ['invalid-ref', 'more.tsp:5']);
    });

    it('an unknown module', () => {
      assert.deepEqual([compiler[1]?.code, compiler[1]?.at], ['invalid-ref', 'more.tsp:7']);
      assert.match(compiler[1]?.message ?? '', /robots/);
    });

    it('error codes without a valid status or a message', () => {
      assert.deepEqual(
        changedIn(/errors/).map(({ code, at }) => `${at.replace(/\d+$/, '')} ${code}`),
        [
          'errors.tsp: staffing/no-status',
          'errors.tsp: staffing/unknown-status',
          'field-errors.tsp: staffing/no-message',
        ],
      );
    });

    it('a trigger without what it sends, and a routine without what it changes', () => {
      assert.deepEqual(
        changedIn(/automation/).map(({ code, at, message }) => `${at.replace(/:\d+$/, '')} ${code}: ${message}`),
        [
          'automation-triggers.tsp staffing/no-resources: checkin.created needs the resources of its records (x-sends of its enumeration).',
          'automation-triggers.tsp staffing/unknown-resource: No model declares the resource gadgets (@resource).',
          'automation-routines.tsp staffing/unknown-resource: No model declares the resource gizmos (@resource).',
          'automation-routines.tsp staffing/no-resources: function.lock needs the resources of its records (x-changes of its enumeration).',
        ],
      );
    });

    it('nothing else', () => assert.equal(changedIn(/errors|automation/).length, changed.length));
  });
});

const line = ({ at, code, message }: Problem): string => `${at} ${code}: ${message}`;
