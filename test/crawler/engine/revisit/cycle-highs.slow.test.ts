import "../../../lab/edwards/cycle-highs.test.ts";
